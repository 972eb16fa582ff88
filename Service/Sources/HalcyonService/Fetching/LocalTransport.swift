import Foundation
import Halcyon
import HalcyonHTTP
import NIOPosix

/// Serves local files to the pipeline as HTTP responses, so that their results are cached like results of other
/// sources.
///
/// The version of a file is the identity of its requests, so that a changed file is another image of the same source.
struct LocalTransport: Transport {
  let folder: LocalFolder
  /// The host of its URLs.
  let host: String

  /// A request for a file as it is now.
  func request(for segments: [[UInt8]]) throws(SourceError) -> ImageRequest {
    let version = try folder.open(segments).version
    return ImageRequest(url: try url(of: segments)) { $0.identity = "\(version)" }
  }

  /// Whether a file is what it was when `request` was made. The file is not opened; its version tells.
  func isCurrent(_ segments: [[UInt8]], _ request: ImageRequest) -> @Sendable () -> Bool {
    let path = folder.path(of: segments)
    guard let version = FileVersion(path: path), "\(version)" == request.identity else { return { false } }
    return { FileVersion(path: path) == version }
  }

  /// The URL of a file in all its versions, also of one that is missing; it exists for this transport only.
  func url(of segments: [[UInt8]]) throws(SourceError) -> URL {
    var parts = URLComponents()
    (parts.scheme, parts.host) = ("http", host)
    parts.percentEncodedPath = segments.reduce("") { $0 + "/" + Self.encoded($1) }
    guard let url = parts.url else { throw .malformed }
    return url
  }

  private static func encoded(_ name: [UInt8]) -> String {
    name.map { byte in
      byte.isLetterOrDigit || "-._~".utf8.contains(byte)
        ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  func response(to request: TransportRequest) async throws -> TransportResponse {
    guard request.url.host() == host else { throw TransportError.hostNotFound(request.url.host() ?? "") }
    let segments = request.url.path(percentEncoded: true).percentDecoded?.names ?? []
    let file: LocalFile
    do {
      file = try folder.open(segments)
    } catch .noSuchFile {
      return TransportResponse(status: 404, headers: [:], body: TransportBody { nil })
    }
    let headers: HTTPHeaders = [
      "Content-Length": "\(file.byteCount)", "Cache-Control": "max-age=31536000, immutable",
      "Last-Modified": HTTPDate.text(file.modificationDate),
    ]
    let reader = FileReader(file)
    return TransportResponse(status: 200, headers: headers, body: TransportBody { try await reader.next() })
  }
}

/// Reads a file in pieces, on a thread for blocking calls.
private actor FileReader {
  private let file: LocalFile
  private var offset = 0

  init(_ file: LocalFile) { self.file = file }

  func next() async throws -> Data? {
    let count = min(256 << 10, file.byteCount - offset)
    guard count > 0 else { return nil }
    let (file, start) = (file, offset)
    let data = try await NIOThreadPool.singleton.runIfActive { try file.read(at: start, count: count) }
    guard !data.isEmpty else { throw TransportError.connectionLost(received: start, expected: file.byteCount) }
    offset += data.count
    return data
  }
}
