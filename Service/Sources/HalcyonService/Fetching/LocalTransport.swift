import Foundation
import Halcyon
import HalcyonHTTP
import NIOPosix

/// Serves local files to the pipeline as HTTP responses, so that their results are cached like results of other
/// sources.
///
/// The URL has the version of the file, so that a changed file is another source.
struct LocalTransport: Transport {
  let folder: LocalFolder
  /// The host of its URLs.
  let host: String

  /// The URL of a file as it is now; it exists for this transport only.
  func url(of segments: [String]) throws(SourceError) -> URL {
    try url(of: folder.open(segments).version, segments)
  }

  /// Whether a file is what it was when `url` was made. The file is not opened; its version tells.
  func isCurrent(_ segments: [String], url: URL) -> @Sendable () -> Bool {
    let path = folder.path(of: segments)
    guard let version = FileVersion(path: path), (try? self.url(of: version, segments)) == url else { return { false } }
    return { FileVersion(path: path) == version }
  }

  private func url(of version: FileVersion, _ segments: [String]) throws(SourceError) -> URL {
    var parts = URLComponents()
    (parts.scheme, parts.host, parts.path) = ("http", host, "/" + segments.joined(separator: "/"))
    parts.query = "\(version)"
    guard let url = parts.url else { throw .malformed }
    return url
  }

  func response(to request: TransportRequest) async throws -> TransportResponse {
    guard request.url.host() == host else { throw TransportError.hostNotFound(request.url.host() ?? "") }
    let segments = request.url.path(percentEncoded: false).parts(between: "/").filter { !$0.isEmpty }
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
