import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonBackend

/// Decides what is fetched for the source of a path.
struct SourceResolver: Sendable {
  private let configuration: ServiceConfiguration
  private let localTransport: LocalTransport?
  private let role: RoleCredentials?

  init(_ configuration: ServiceConfiguration, time: any TimeSource = SystemTime()) {
    self.configuration = configuration
    role = configuration.storageRole.map { RoleCredentials($0, time: time) }
    localTransport = configuration.localRoot.map { LocalTransport(folder: LocalFolder($0), host: "local.invalid") }
  }

  private var allowed: [SourcePattern] { configuration.allowedSources }

  /// The transports of sources in this process, by the hosts of their URLs.
  var ownTransports: [String: any Transport] {
    localTransport.map { [$0.host: $0] } ?? [:]
  }

  /// `nil` without storage.
  var bucketRegions: BucketRegions? { configuration.storage.map { BucketRegions($0, role: role) } }

  /// A request for the source in its original size.
  func request(for source: String) throws(SourceError) -> ImageRequest {
    if let file = try localFile(source) { return try file.transport.request(for: file.segments) }
    if let object = source.bytes(afterPrefix: "s3://") { return try storageRequest(for: object) }
    guard let url = SourceURL(Self.encodingPath(of: source.withEncodedBytes)) else { throw .malformed }
    guard allows(url) else { throw .notAllowed }
    return ImageRequest(url: url.url) {
      if let authorization = url.authorization { $0.headers["Authorization"] = authorization }
    }
  }

  /// The source that all is cached under that was made of a source, also of a local file that has been replaced or deleted.
  func cachedSource(of source: String) throws(SourceError) -> ImageSource {
    guard let file = try localFile(source) else { return try request(for: source).source }
    return .url(try file.transport.url(of: file.segments))
  }

  /// The place of a local file that may be read; `nil` for other sources.
  private func localFile(
    _ source: String
  ) throws(SourceError) -> (transport: LocalTransport, segments: [[UInt8]])? {
    guard source.bytes(afterPrefix: "local:") != nil else { return nil }
    guard let localTransport else { throw .noLocalFolder }
    let segments = try LocalFolder.segments(of: source)
    guard allowed.isEmpty || allowed.contains(where: { $0.matches(local: segments) }) else { throw .notAllowed }
    return (localTransport, segments)
  }

  /// A URL whose spaces and other characters outside ASCII, which the path of a request decodes, are encoded again, as are
  /// percent signs that begin no encoded byte; the host is left as it is.
  private static func encodingPath(of source: String) -> String {
    guard let scheme = source.utf8.firstRange(of: "://".utf8),
      let start = source.utf8[scheme.upperBound...].firstIndex(where: { "/?".utf8.contains($0) })
    else { return source }
    let bytes = Array(source[start...].utf8)
    let path = bytes.indices.map { index in
      let byte = bytes[index]
      let isEncoded =
        byte == UInt8(ascii: "%") && bytes.dropFirst(index + 1).prefix(2).filter(\.isHexadecimal).count == 2
      return byte == 32 || byte > 127 || byte == UInt8(ascii: "%") && !isEncoded
        ? "%" + String(byte, radix: 16, uppercase: true) : String(UnicodeScalar(byte))
    }
    return source[..<start] + path.joined()
  }

  /// Whether a source is still what a request for it was made for; `nil` for sources that only the network can tell of.
  func isCurrent(_ source: String, _ request: ImageRequest) -> (@Sendable () -> Bool)? {
    guard let file = try? localFile(source) else { return nil }
    return file.transport.isCurrent(file.segments, request)
  }

  /// A request for `BUCKET/KEY?VERSION`, where the key is as the storage has it, with percent signs that mean themselves.
  private func storageRequest(for text: Substring) throws(SourceError) -> ImageRequest {
    guard let storage = configuration.storage else { throw .noStorage }
    let bucket = String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "/") }))
    let object = Substring(text.utf8.dropFirst(bucket.utf8.count).drop { $0 == UInt8(ascii: "/") })
    let key = String(Substring(object.utf8.prefix { $0 != UInt8(ascii: "?") }))
    let version = String(Substring(object.utf8.dropFirst(key.utf8.count + 1)))
    guard let encoded = Self.encoded(key), let url = SourceURL("s3://\(bucket)/\(encoded)"),
      var parts = storage.url(bucket: url.host, key: key).flatMap({
        URLComponents(url: $0, resolvingAgainstBaseURL: true)
      })
    else { throw .malformed }
    guard allows(url), allowsBucket(url.host) else { throw .notAllowed }
    if !version.isEmpty {
      parts.percentEncodedQuery = "versionId=" + (Self.encoded(version) ?? "").replacing("/", with: "%2F")
    }
    guard let location = parts.url else { throw .malformed }
    let objects = StorageBucket(storage: storage, name: url.host, role: role, allowed: allowed)
    return ImageRequest(url: location) { $0.requestModifier = SourceModifier(bucket: objects) }
  }

  private static func encoded(_ text: String) -> String? {
    text.addingPercentEncoding(
      withAllowedCharacters: CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"))
  }

  private func allowsBucket(_ name: String) -> Bool {
    (configuration.allowedBuckets.isEmpty || configuration.allowedBuckets.contains(name))
      && !configuration.deniedBuckets.contains(name)
  }

  /// Whether a source may be fetched: no host that stands for local files.
  private func allows(_ url: SourceURL) -> Bool {
    !url.host.hasSuffix(".invalid") && (allowed.isEmpty || allowed.contains { $0.matches(url) })
  }

  /// Whether a source may redirect to a URL.
  func allowsRedirect(to url: SourceURL) -> Bool {
    allows(url) || !url.host.hasSuffix(".invalid") && configuration.allowedRedirects.contains { $0.matches(url) }
  }
}
