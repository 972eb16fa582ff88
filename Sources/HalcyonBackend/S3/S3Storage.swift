public import HalcyonHTTP
import HalcyonSupport
public import Foundation

/// Storage with the interface of Amazon S3: its address, and the credentials that sign requests to it.
///
/// ```swift
/// if let storage = S3Storage(region: "eu-central-1", endpoint: endpoint, credentials: credentials),
///   let request = storage.request(bucket: "photos", key: "2026/cat.jpg")
/// {
///   let response = try await transport.response(to: request)
/// }
/// ```
public struct S3Storage: Hashable, Sendable {
  /// Where the name of a bucket is in URLs.
  @nonexhaustive
  public enum Addressing: Hashable, Sendable {
    /// In the host: `https://photos.s3.eu-central-1.amazonaws.com/cat.jpg`.
    ///
    /// Names that are no part of a host, or contain a dot, which certificates do not cover, are in the path.
    case virtualHost
    /// In the path: `https://storage.example.com/photos/cat.jpg`, for most servers other than Amazon's.
    case path
  }

  /// The region, such as `eu-central-1`; servers without regions usually take `us-east-1`.
  public let region: String
  /// The `http` or `https` URL of the service.
  public let endpoint: URL
  /// Where the name of a bucket is in URLs.
  public let addressing: Addressing
  /// The keys that sign the requests; `nil` sends them without a signature, for public buckets.
  public let credentials: S3Credentials?
  package let signature: RequestSignature?

  private let origin: Origin

  /// Creates a storage, unless the endpoint is no `http` or `https` URL, or contains a password, query or fragment.
  ///
  /// - Parameters:
  ///   - region: The region, such as `eu-central-1`.
  ///   - endpoint: The URL of the service.
  ///   - addressing: Where the name of a bucket is in URLs. Default: in the path.
  ///   - credentials: The keys of the user. Default: `nil`, requests are not signed.
  public init?(region: String, endpoint: URL, addressing: Addressing = .path, credentials: S3Credentials? = nil) {
    guard let origin = Origin(endpoint), !endpoint.hasCredentials, endpoint.query == nil, endpoint.fragment == nil
    else { return nil }
    (self.region, self.endpoint, self.addressing, self.origin) = (region, endpoint, addressing, origin)
    self.credentials = credentials
    signature = credentials.map { credentials in
      let key = RequestSignature.Key(
        id: credentials.accessKeyID, secret: credentials.secretAccessKey, sessionToken: credentials.sessionToken)
      return RequestSignature(key: key, region: region)
    }
  }

  /// The URL of an object; `nil` if the names are not valid.
  ///
  /// - Parameters:
  ///   - bucket: The bucket: 3 to 63 letters, digits, dots, hyphens and underscores.
  ///   - key: The key, at most 1024 bytes. Keys with a segment `.` or `..` have no URL.
  public func url(bucket: String, key: String) -> URL? {
    guard Self.isValid(bucket: bucket), (1...1024).contains(key.utf8.count),
      // By bytes: a slash that a combining mark follows is a slash.
      !key.utf8.split(separator: UInt8(ascii: "/")).contains(where: {
        $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
      }),
      !key.utf8.contains(0),
      let path = key.addingPercentEncoding(withAllowedCharacters: Self.unreserved),
      var parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: true)
    else { return nil }
    let base = parts.percentEncodedPath.hasSuffix("/") ? parts.percentEncodedPath : parts.percentEncodedPath + "/"
    if isInHost(bucket), let host = parts.host {
      parts.host = bucket + "." + host
      parts.percentEncodedPath = base + path
    } else {
      parts.percentEncodedPath = base + bucket + "/" + path
    }
    return parts.url
  }

  /// The URL of the list of a bucket's keys that begin with `prefix`; `nil` if the name is not valid.
  ///
  /// - Parameter list: The part of the list before; `nil` for the first.
  func listURL(bucket: String, prefix: String, after list: S3List?) -> URL? {
    // libcurl from 8.13 signs a plus sign in a query as a space: such a part begins after the last key instead.
    let name = list?.nextToken?.contains("+") == true ? list?.names.last : nil
    let token = name == nil ? list?.nextToken : nil
    // All but these are encoded in the query of a signature, whose fields are in the order of their names.
    let unreserved = Self.unreserved.subtracting(CharacterSet(charactersIn: "/"))
    let fields = [
      ("continuation-token", token), ("list-type", "2"), ("prefix", prefix), ("start-after", name),
    ].compactMap { name, value in
      value?.addingPercentEncoding(withAllowedCharacters: unreserved).map { "\(name)=\($0)" }
    }
    guard let object = url(bucket: bucket, key: "-"),
      var parts = URLComponents(url: object, resolvingAgainstBaseURL: true)
    else { return nil }
    parts.percentEncodedPath = String(parts.percentEncodedPath.dropLast())
    parts.percentEncodedQuery = fields.joined(separator: "&")
    return parts.url
  }

  /// A request for an object, which the transport signs; `nil` if the names are not valid.
  public func request(
    bucket: String, key: String, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(), body: Data? = nil
  ) -> TransportRequest? {
    url(bucket: bucket, key: key).map {
      signed(TransportRequest(url: $0, method: method, headers: headers, body: body))
    }
  }

  /// The request with the signature, if its URL belongs to the storage; otherwise as it is.
  public func signed(_ request: TransportRequest) -> TransportRequest {
    guard let signature, contains(request.url) else { return request }
    var request = request
    request.signature = signature
    return request
  }

  /// Whether a URL has the scheme and port of the endpoint, and its host or, with ``Addressing/virtualHost``, the host
  /// of one of its buckets.
  public func contains(_ url: URL) -> Bool {
    guard let other = Origin(url) else { return false }
    if other == origin { return true }
    let suffix = "." + origin.host
    guard other.scheme == origin.scheme, other.port == origin.port,
      other.host.utf8.reversed().starts(with: suffix.utf8.reversed())
    else { return false }
    return isInHost(String(Substring(other.host.utf8.dropLast(suffix.utf8.count))))
  }

  private func isInHost(_ bucket: String) -> Bool {
    addressing == .virtualHost
      && bucket.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isValid(bucket: String) -> Bool {
    (3...63).contains(bucket.utf8.count)
      && bucket.unicodeScalars.allSatisfy { bucketCharacters.contains($0) } && bucket.contains { $0 != "." }
  }

  private static let bucketCharacters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
  /// The characters that a signature leaves unescaped in a path.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
}
