/// The directives of the `Cache-Control` field of a request or response (RFC 9111, 5.2; RFC 5861; RFC 8246).
///
/// Names are case-insensitive; values may be quoted. Of repeated directives the most restrictive value applies. An
/// invalid number is 0, one over 2^31 is 2^31. Unknown directives are ignored.
public struct CacheControl: Hashable, Sendable {
  /// `max-age`: the freshness lifetime of a response, or the greatest age that a request accepts, in seconds.
  public var maxAge: Int?
  /// `s-maxage`: the freshness lifetime of a response in a shared cache, in seconds.
  public var sharedMaxAge: Int?
  /// `stale-while-revalidate`: how long a stale response may be served while it is revalidated, in seconds.
  public var staleWhileRevalidate: Int?
  /// `stale-if-error`: how long a stale response may be served in place of an error, in seconds.
  public var staleIfError: Int?
  /// `min-fresh`: how long a response must remain fresh to be accepted by a request, in seconds.
  public var minFresh: Int?
  /// `max-stale`: how long a response may have been stale to be accepted by a request, in seconds; `Int.max` for a
  /// directive without a value.
  public var maxStale: Int?
  /// `no-store`: neither the request nor its response may be stored.
  public var forbidsStorage = false
  /// `must-understand`: only caches that know the status code may store the response, even with `no-store`.
  public var requiresKnownStatus = false
  /// `no-cache`: a stored response must be revalidated before each use, even if the directive lists fields.
  public var requiresValidation = false
  /// `must-revalidate`: a stale response must not be served, not even in place of an error.
  public var forbidsStale = false
  /// `proxy-revalidate`: a shared cache must not serve a stale response.
  public var forbidsSharedStale = false
  /// `private`: a shared cache must not store the response.
  public var isPrivate = false
  /// `public`: a shared cache may store the response to a request with credentials.
  public var isPublic = false
  /// `immutable`: the response does not change while it is fresh, so a reload needs no revalidation.
  public var isImmutable = false
  /// `only-if-cached`: the request accepts only a stored response.
  public var isOnlyIfCached = false

  /// Parses the `Cache-Control` fields; without one there are no directives.
  public init(_ headers: HTTPHeaders) {
    guard let field = headers["Cache-Control"] else { return }
    var directives = DirectiveList(field)
    while let (name, value) = directives.next() { apply(name, value) }
  }

  private mutating func apply(_ name: String, _ value: String?) {
    switch name {
    case "max-age": maxAge = Self.shortest(maxAge, value)
    case "s-maxage": sharedMaxAge = Self.shortest(sharedMaxAge, value)
    case "stale-while-revalidate": staleWhileRevalidate = Self.shortest(staleWhileRevalidate, value)
    case "stale-if-error": staleIfError = Self.shortest(staleIfError, value)
    case "min-fresh": minFresh = max(minFresh ?? 0, Self.seconds(value))
    case "max-stale": maxStale = value == nil ? maxStale ?? .max : Self.shortest(maxStale, value)
    case "no-store": forbidsStorage = true
    case "must-understand": requiresKnownStatus = true
    case "no-cache": requiresValidation = true
    case "must-revalidate": forbidsStale = true
    case "proxy-revalidate": forbidsSharedStale = true
    case "private": isPrivate = true
    case "public": isPublic = true
    case "immutable": isImmutable = true
    case "only-if-cached": isOnlyIfCached = true
    default: break
    }
  }

  /// The shorter of a known number of seconds and a value.
  private static func shortest(_ known: Int?, _ value: String?) -> Int {
    min(known ?? .max, seconds(value))
  }

  private static func seconds(_ value: String?) -> Int {
    guard let value, value.isASCIIDigits else { return 0 }
    return min(Int(value) ?? .max, Int(Int32.max))
  }
}

/// Parses directives of the form `name`, `name=value` or `name="value"`, separated by commas.
///
/// By Unicode scalars: a comma that a combining mark follows separates as well.
private struct DirectiveList {
  private var rest: Substring.UnicodeScalarView

  init(_ field: String) {
    rest = field[...].unicodeScalars
  }

  mutating func next() -> (name: String, value: String?)? {
    rest = rest.drop { $0 == "," || $0.properties.isWhitespace }
    guard !rest.isEmpty else { return nil }
    let name = rest.prefix { $0 != "," && $0 != "=" }
    rest = rest[name.endIndex...]
    let value = rest.first == "=" ? parseValue() : nil
    rest = rest.drop { $0 != "," }
    return (Substring(name).lowercased().filter { !$0.isWhitespace }, value)
  }

  private mutating func parseValue() -> String {
    rest = rest.dropFirst()
    guard rest.first == "\"" else {
      let token = rest.prefix { $0 != "," }
      rest = rest[token.endIndex...]
      return Substring(token).filter { !$0.isWhitespace }
    }
    var value = ""
    var isEscaped = false
    rest = rest.dropFirst()
    while let character = rest.popFirst(), isEscaped || character != "\"" {
      isEscaped = !isEscaped && character == "\\"
      if !isEscaped { value.unicodeScalars.append(character) }
    }
    return value
  }
}
