import Crypto
import Foundation
import Halcyon
import HalcyonHTTP
@_spi(Programs) import HalcyonSupport
import Synchronization

/// Images that users of the web page have uploaded, in memory: the latest ones, up to a number of bytes.
final class Uploads: Sendable {
  /// By their names.
  private let images: RecentTable<String, Data>

  init(byteLimit: Int) { images = RecentTable(costLimit: byteLimit) }

  /// Keeps an image, in place of the oldest ones over the limit, and returns its name: a hash of the bytes.
  func add(_ data: Data) -> String {
    let name = SHA256.hash(data: data).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    images.insert(data, for: name, cost: data.count)
    return name
  }

  /// The image of a name, if it is still there.
  subscript(name: String) -> Data? { images[name] }
}

/// Serves images in memory to the pipeline as HTTP responses, so that their results are cached like results of other
/// sources.
struct UploadTransport: Transport {
  /// The host of its URLs.
  let host: String
  let uploads: Uploads

  /// The URL of an `upload:///NAME` source; it exists for this transport only.
  func url(of source: String) throws(SourceError) -> URL {
    let name = source.dropFirst("upload:///".count)
    guard source.hasPrefix("upload:///"), name.utf8.count == 32, name.allSatisfy(\.isHexDigit) else { throw .malformed }
    return try url(named: String(name))
  }

  /// The URL of the image of a name.
  func url(named name: String) throws(SourceError) -> URL {
    guard let url = URL(string: "http://\(host)/\(name)") else { throw .malformed }
    return url
  }

  func response(to request: TransportRequest) async throws -> TransportResponse {
    guard request.url.host() == host else { throw TransportError.hostNotFound(request.url.host() ?? "") }
    guard let data = uploads[request.url.lastPathComponent] else {
      return TransportResponse(status: 404, headers: [:], body: TransportBody { nil })
    }
    let headers: HTTPHeaders = [
      "Content-Length": "\(data.count)", "Cache-Control": "max-age=31536000, immutable",
    ]
    let rest = Mutex<Data?>(data)
    return TransportResponse(
      status: 200, headers: headers, body: TransportBody { rest.withLock { $0.take() } })
  }
}
