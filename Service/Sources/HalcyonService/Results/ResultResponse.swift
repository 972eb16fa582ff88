import Foundation
import HTTPRanges
import HTTPTypes
import Halcyon
import HalcyonHTTP
@_spi(Programs) import HalcyonProcessing
import NIOCore
import NIOFoundationCompat

/// A result, or the properties of a source, and the headers of its responses: what does not depend on the conditions and ranges of a request.
struct ResultResponse: Sendable {
  private let body: ByteBuffer
  private var headers: HTTPFields
  private let disposition: String?
  /// The status of the fallback image, which has neither conditions nor ranges.
  private let fallbackStatus: Int?
  /// The path of its requests in the log; `nil` if that was not made yet.
  private(set) var loggedPath: String?
  /// How long caches may keep the response, if only what is known of the source says so.
  private let lifetime: KnownLifetime?
  /// ``wholeHeaders`` of a result that is sent often.
  private var whole: HTTPFields?

  init(
    _ result: ImageResult, _ options: ProcessingOptions, source: String, _ configuration: ServiceConfiguration,
    sharing bodies: SharedBodies, now: Date
  ) {
    let tag = Self.entityTag(result.data, configuration.entityTagBuster)
    body = bodies.buffer(for: result.data, tag: tag)
    (headers, lifetime) = Self.headers(of: result, tag: tag, configuration)
    if configuration.sendsCanonicalLink, result.fallbackStatus == nil { headers[.link] = Self.canonicalLink(source) }
    if let expires = options.expires { headers.limitLifetime(to: expires, at: now) }
    disposition = Self.disposition(
      options, source: source, format: result.format, isAttachment: configuration.returnsAttachment)
    fallbackStatus = result.fallbackStatus
  }

  /// The properties of a source as JSON.
  init(_ report: SourceReport, _ options: ProcessingOptions, _ configuration: ServiceConfiguration, now: Date) throws {
    let json = try report.json()
    body = ByteBuffer(data: json)
    headers = [
      .contentType: "application/json", .xContentTypeOptions: "nosniff",
      .eTag: Self.entityTag(json, configuration.entityTagBuster), .cacheStatus: "halcyon; fwd=miss",
    ]
    lifetime = Self.addLifetime(
      to: &headers, report.head, report.freshness, isLocal: report.isCurrent != nil, configuration)
    if let expires = options.expires { headers.limitLifetime(to: expires, at: now) }
    (disposition, fallbackStatus) = (nil, nil)
  }

  var byteCount: Int { body.readableBytes }

  /// The same result, from the cache.
  func hit(loggedPath: String) -> ResultResponse {
    var hit = self
    hit.headers[.cacheStatus] = Self.hit
    if let lifetime { hit.headers[.cacheControl] = lifetime.cacheControl(after: ResponseCache.lifetime) }
    if let age = headers.age { hit.headers[.age] = "\(age + Int(ResponseCache.lifetime.components.seconds))" }
    hit.loggedPath = loggedPath
    if fallbackStatus == nil { hit.whole = hit.wholeHeaders }
    return hit
  }

  /// The headers of a response with the whole result.
  private var wholeHeaders: HTTPFields {
    var headers = headers
    headers[.contentDisposition] = disposition
    headers[.acceptRanges] = "bytes"
    return headers
  }

  func response(to message: ServiceRequest) -> ServiceResponse {
    let request = message.headers
    if let whole, !request.contains(.range), !request.contains(.ifNoneMatch), !request.contains(.ifModifiedSince),
      !request.contains(.ifMatch)
    {
      return ServiceResponse(status: 200, headers: whole, body: body)
    }
    var headers = headers
    if let fallbackStatus {
      headers[.contentDisposition] = disposition
      return ServiceResponse(status: fallbackStatus, headers: headers, body: body)
    }
    if let condition = request[.ifMatch],
      !Self.entityTags(condition).contains(where: { $0 == "*" || $0 == headers[.eTag] })
    {
      return .failure(.preconditionFailed)
    }
    if matches(request) {
      headers[.contentType] = nil
      return ServiceResponse(status: 304, headers: headers, body: ByteBuffer())
    }
    headers = wholeHeaders
    let range = ByteRange(
      // Ranges are defined for GET only (RFC 9110, 14.2).
      range: message.method == .get ? request[.range] : nil, ifRange: request[.ifRange], entityTag: headers[.eTag],
      lastModified: headers[.lastModified], byteCount: byteCount)
    switch range {
    case nil:
      return ServiceResponse(status: 200, headers: headers, body: body)
    case .unsatisfiable:
      var response = ServiceResponse.text(416, "The range is outside the image.\n")
      response.headers[.contentRange] = "bytes */\(byteCount)"
      return response
    case .part(let range):
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
      let part = body.getSlice(at: body.readerIndex + range.lowerBound, length: range.count)
      return ServiceResponse(status: 206, headers: headers, body: part ?? ByteBuffer())
    }
  }

  private static let hit = "halcyon; hit"

  private static func headers(
    of result: ImageResult, tag: String, _ configuration: ServiceConfiguration
  ) -> (HTTPFields, KnownLifetime?) {
    var headers: HTTPFields = [
      .contentType: result.format.mediaType, .xContentTypeOptions: "nosniff", .eTag: tag,
    ]
    headers[.cacheStatus] = result.isHit ? hit + (result.storeTier.map { "; detail=\($0)" } ?? "") : "halcyon; fwd=miss"
    let varying = (result.dependsOnAccept ? ["Accept"] : []) + (configuration.usesClientHints ? ClientHints.fields : [])
    if !varying.isEmpty { headers[.vary] = varying.joined(separator: ", ") }
    if result.format == .svg {
      headers[.contentSecurityPolicy] =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"
      // A file of `.svgz`, which browsers draw only as compressed content.
      if result.data.starts(with: [0x1F, 0x8B]) { headers[.contentEncoding] = "gzip" }
    }
    if result.fallbackStatus != nil {
      headers[.fallbackImage] = "1"
      headers[.cacheControl] = "public, max-age=\(configuration.fallbackTimeToLive)"
      headers[.eTag] = nil
      return (headers, nil)
    }
    let lifetime = addLifetime(
      to: &headers, result.head, result.freshness, isLocal: result.isCurrent != nil, configuration)
    return (headers, lifetime)
  }

  /// Adds when a source was changed, and how long a response made of it may be cached: as the settings say, otherwise as
  /// long as is known of the source, which is returned then.
  private static func addLifetime(
    to headers: inout HTTPFields, _ head: ResponseHead?, _ freshness: Duration?, isLocal: Bool,
    _ configuration: ServiceConfiguration
  ) -> KnownLifetime? {
    if let date = head?.headers["Last-Modified"] {
      headers[.lastModified] = lastModified(date, configuration.earliestModification)
    }
    let known = KnownLifetime(head, freshness, isLocal: isLocal, configuration)
    if configuration.passesCacheControl, !isLocal, let head {
      headers[.cacheControl] = head.headers["Cache-Control"]
      headers[.expires] = head.headers["Expires"]
      headers[.age] = known.age.map { "\($0)" }
    }
    guard headers[.cacheControl] == nil, headers[.expires] == nil else { return nil }
    if let seconds = configuration.timeToLive {
      headers[.cacheControl] = seconds > 0 ? "public, max-age=\(seconds)" : "no-cache"
      return nil
    }
    headers[.cacheControl] = known.cacheControl()
    return known
  }

  /// A strong entity tag: the hash of the bytes and of a text.
  private static func entityTag(_ data: Data, _ text: String) -> String {
    "\"\(Base64URL.encode(SHA256.hash(data, Data(text.utf8)).prefix(15)))\""
  }

  /// The date of a source, or the later one that a configuration asks for; `nil` for a text that is no date.
  private static func lastModified(_ text: String, _ earliest: Date?) -> String? {
    guard let date = HTTPDate.parse(text) else { return nil }
    return earliest.flatMap { date < $0 ? HTTPDate.text($0) : nil } ?? text
  }

  /// A reference to a source on the web; `nil` for others.
  private static func canonicalLink(_ source: String) -> String? {
    guard let url = SourceURL(source), url.scheme.hasPrefix("http") else { return nil }
    return "<\(url.url.absoluteString)>; rel=\"canonical\""
  }

  /// Whether the client has the current result (RFC 9110, 13.2.2).
  private func matches(_ request: HTTPFields) -> Bool {
    if let condition = request[.ifNoneMatch] {
      return Self.entityTags(condition).contains { $0 == "*" || $0.trimmingPrefix("W/") == headers[.eTag] ?? "" }
    }
    guard let date = request[.ifModifiedSince], let last = headers[.lastModified] else { return false }
    // Clients send back the date that they got, caches also a later one.
    if date == last { return true }
    guard let since = HTTPDate.parse(date), let modified = HTTPDate.parse(last) else { return false }
    return modified <= since
  }

  private static func entityTags(_ condition: String) -> [String] {
    condition.parts(between: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The most bytes of a name without its extension, below the 255 of file systems.
  private static let nameByteLimit = 240

  /// `Content-Disposition` with a name in ASCII and, where that differs, in UTF-8 (RFC 6266).
  ///
  /// - Parameter isAttachment: Whether browsers save the result, where the options do not say.
  static func disposition(
    _ options: ProcessingOptions, source: String, format: ImageFormat, isAttachment: Bool = false
  ) -> String {
    let given = options.filename.isEmpty ? Self.name(of: source) : options.filename
    let name = given.beginning(byteCount: nameByteLimit) + "." + format.fileExtension
    let refused = "\"\\%;/".unicodeScalars
    let plain = String(
      name.unicodeScalars.map { (32..<127).contains($0.value) && !refused.contains($0) ? Character($0) : "_" })
    let kind = options.returnsAttachment ?? isAttachment ? "attachment" : "inline"
    guard plain != name else { return "\(kind); filename=\"\(plain)\"" }
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    let encoded = name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? plain
    return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
  }

  /// The last segment of the path of a source, without its extension.
  private static func name(of source: String) -> String {
    let address = Substring(source.utf8.prefix { !"?#".utf8.contains($0) })
    let rest = address.utf8.firstRange(of: "://".utf8).map { address[$0.upperBound...] } ?? address
    // The first part is the host, which is empty for local files.
    let last = rest.parts(between: "/").dropFirst().last ?? ""
    let parts = last.parts(between: ".")
    let name = parts.count > 1 ? parts.dropLast().filter { !$0.isEmpty }.joined(separator: ".") : last
    // An encoded slash separates segments as well.
    let decoded = name.withEncodedBytes.percentDecoded.map { String(decoding: $0, as: UTF8.self) } ?? name
    let segment = decoded.parts(between: "/").last ?? ""
    return segment.isEmpty ? "image" : segment
  }
}

extension HTTPFields {
  fileprivate var age: Int? { self[.age].flatMap { Int($0) } }

  /// Lets no cache keep a response for longer than until `end`, in seconds since 1970.
  mutating func limitLifetime(to end: Int, at now: Date) {
    // Caches subtract the age from a lifetime.
    let lifetime = Swift.max(0, end - Int(now.timeIntervalSince1970)) + (age ?? 0)
    // Times after the lifetime, whenever that ends (RFC 5861).
    let dropped = ["", "immutable", "stale-while-revalidate", "stale-if-error"]
    var directives: [String] = []
    var hasLifetime = false
    for directive in (self[.cacheControl] ?? "").parts(between: ",") {
      let sides = directive.parts(between: "=").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = sides[0].lowercased()
      if ["max-age", "no-store"].contains(name) { hasLifetime = true }
      if dropped.contains(name) { continue }
      let value = sides.dropFirst().joined(separator: "=")
      // A lifetime that is no number is none.
      let limited = ["max-age", "s-maxage"].contains(name) ? "\(Swift.min(Int(value) ?? 0, lifetime))" : value
      directives.append(limited.isEmpty ? name : "\(name)=\(limited)")
    }
    if !hasLifetime {
      let own = self[.expires].map { HTTPDate.parse($0)?.timeIntervalSince(now) ?? 0 } ?? Double(lifetime)
      directives.append("max-age=\(Int(Swift.max(0, Swift.min(own, Double(lifetime)))))")
    }
    self[.cacheControl] = directives.joined(separator: ", ")
    self[.expires] = nil
  }
}

extension String {
  /// The first characters, in at most a number of bytes.
  fileprivate func beginning(byteCount limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var beginning = ""
    var count = 0
    for character in self {
      count += character.utf8.count
      guard count <= limit else { break }
      beginning.append(character)
    }
    return beginning
  }
}
