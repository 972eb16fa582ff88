import HalcyonCache
import HalcyonHTTP
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import Testing

/// A download that is interrupted, and the responses that resume it.
enum InterruptedDownload {
  static let body = SolidImage(width: 30, height: 30, paddingByteCount: 100_000).data
  /// Headers of a response that can be resumed.
  static let headers: HTTPHeaders = ["ETag": "\"a\"", "Accept-Ranges": "bytes"]
  static let lost = TransportError.connectionLost(received: 0, expected: nil)

  /// Headers of a response with the rest of the body.
  static func restHeaders(from first: Int, tag: String = "\"a\"", total: Int = body.count) -> HTTPHeaders {
    ["ETag": tag, "Content-Range": "bytes \(first)-\(body.count - 1)/\(total)"]
  }
}

extension ScriptedTransport.Reply {
  /// The whole body.
  static var whole: Self { .response(body: InterruptedDownload.body) }

  /// The first `count` bytes of the body.
  static func cut(
    at count: Int, _ headers: HTTPHeaders = InterruptedDownload.headers,
    error: TransportError = InterruptedDownload.lost
  ) -> Self {
    let body = InterruptedDownload.body
    var headers = headers
    headers["Content-Length"] = "\(body.count)"
    return .cut(body: body, afterBytes: count, headers: headers, error: error)
  }

  /// The rest of the body, under the range that the headers state.
  static func rest(
    from first: Int, tag: String = "\"a\"", total: Int = InterruptedDownload.body.count,
    adding fields: HTTPHeaders = [:]
  ) -> Self {
    let body = InterruptedDownload.body.dropFirst(first)
    let headers = InterruptedDownload.restHeaders(from: first, tag: tag, total: total)
    return .response(
      status: 206, body: body, headers: headers.adding(["Content-Length": "\(body.count)"]).adding(fields))
  }

  /// The rest of the body from byte 50,000 on, but for its first 20,000 bytes interrupted.
  static func cutRest(_ error: TransportError = InterruptedDownload.lost) -> Self {
    .cut(
      body: InterruptedDownload.body.dropFirst(50_000), afterBytes: 20_000,
      headers: InterruptedDownload.restHeaders(from: 50_000), error: error, status: 206)
  }
}

extension PipelineFixture {
  var request: ImageRequest { ImageRequest(url: url) }

  /// The ranges of the requests so far.
  var ranges: [String?] { transport.requests.map { $0.headers["Range"] } }

  /// Expects that a load fails, and waits until what it received is stored.
  func loadInVain(_ request: ImageRequest? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
    await #expect(throws: ImageError.self, sourceLocation: sourceLocation) {
      try await pipeline.data(for: request ?? self.request)
    }
    await pipeline.cache.flush()
  }

  /// The first bytes of the body, if the store has them.
  func storedPart() async throws -> StoredEntry? {
    try await store.entry(for: ImagePipeline.cacheKey(for: request).ofPartialBody)
  }

  /// The stored response to a request.
  func storedEntry() async throws -> StoredEntry? {
    try await store.entry(for: ImagePipeline.cacheKey(for: request))
  }
}
