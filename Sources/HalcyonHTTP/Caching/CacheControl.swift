/// The directives of a `Cache-Control` field, of a request or an answer (RFC 9111, 5.2; RFC 5861; RFC 8246).
///
/// Names are read whatever their case, values with or without quotes. Of several values the strictest counts; a number
/// that cannot be read is 0, one over 2^31 is 2^31; what is unknown is passed over.
public struct CacheControl: Hashable, Sendable {
  /// Seconds that an answer stays fresh, or the greatest age that a request accepts.
  public var maxAge: Int?
  /// Seconds that an answer stays fresh in a cache that several users share.
  public var sharedMaxAge: Int?
  /// Seconds after its freshness for which an answer may be served while it is asked for anew.
  public var staleWhileRevalidate: Int?
  /// Seconds after its freshness for which an answer may be served instead of an error.
  public var staleIfError: Int?
  /// Seconds for which a request wants the answer to stay fresh still.
  public var minFresh: Int?
  /// Seconds after its freshness for which a request accepts an answer; `Int.max` where it names none.
  public var maxStale: Int?
  /// Nothing of the exchange may be kept.
  public var forbidsStorage = false
  /// The answer may be kept by caches that know its status, and by no others, whatever else it forbids.
  public var requiresKnownStatus = false
  /// What is kept has to be asked for each time. Also where the directive names fields.
  public var requiresValidation = false
  /// What is stale must not be served, not even instead of an error.
  public var forbidsStale = false
  /// The same for caches that several users share.
  public var forbidsSharedStale = false
  /// Caches that several users share may not keep the answer.
  public var isPrivate = false
  /// Caches that several users share may keep the answer to a request with credentials.
  public var isPublic = false
  /// The answer does not change while it is fresh, so that reloading need not ask.
  public var isImmutable = false
  /// The request wants no answer but a stored one.
  public var isOnlyIfCached = false

  /// Reads the field; without one there are no directives.
  public init(_ headers: HTTPHeaders) {
    guard let field = headers["Cache-Control"] else { return }
    var directives = DirectiveList(field)
    while let (name, value) = directives.next() { apply(name, value) }
  }

  private mutating func apply(_ name: String, _ value: String?) {
    switch name {
    case "max-age": maxAge = Self.strictest(maxAge, value)
    case "s-maxage": sharedMaxAge = Self.strictest(sharedMaxAge, value)
    case "stale-while-revalidate": staleWhileRevalidate = Self.strictest(staleWhileRevalidate, value)
    case "stale-if-error": staleIfError = Self.strictest(staleIfError, value)
    case "min-fresh": minFresh = max(minFresh ?? 0, Self.seconds(value))
    case "max-stale": maxStale = value == nil ? maxStale ?? .max : Self.strictest(maxStale, value)
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

  private static func strictest(_ known: Int?, _ value: String?) -> Int {
    min(known ?? .max, seconds(value))
  }

  private static func seconds(_ value: String?) -> Int {
    guard let value, !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
    return min(Int(value) ?? .max, 1 << 31)
  }
}

/// Reads `name`, `name=value` and `name="value"`, separated by commas.
private struct DirectiveList {
  private var rest: Substring

  init(_ field: String) {
    rest = field[...]
  }

  mutating func next() -> (name: String, value: String?)? {
    rest = rest.drop { $0 == "," || $0.isWhitespace }
    guard !rest.isEmpty else { return nil }
    let name = rest.prefix { $0 != "," && $0 != "=" }
    rest = rest.dropFirst(name.count)
    let value = rest.first == "=" ? takeValue() : nil
    rest = rest.drop { $0 != "," }
    return (name.lowercased().filter { !$0.isWhitespace }, value)
  }

  private mutating func takeValue() -> String {
    rest = rest.dropFirst()
    guard rest.first == "\"" else {
      let token = rest.prefix { $0 != "," }
      rest = rest.dropFirst(token.count)
      return token.filter { !$0.isWhitespace }
    }
    var value = ""
    var isEscaped = false
    rest = rest.dropFirst()
    while let character = rest.popFirst(), isEscaped || character != "\"" {
      isEscaped = !isEscaped && character == "\\"
      if !isEscaped { value.append(character) }
    }
    return value
  }
}
