public import Foundation
public import HalcyonCore

/// A transport that answers as a test tells it to, without a network.
///
/// ```swift
/// let transport = ScriptedTransport { request in .answer(body: photo, headers: ["ETag": "\"1\""]) }
/// let pipeline = ImagePipeline(transport: transport)
/// ```
public final class ScriptedTransport: Transport {
  /// What a request gets.
  @nonexhaustive
  public enum Reply: Sendable {
    /// A whole answer; the body comes in pieces of at most `pieceByteCount` bytes.
    case answer(status: Int = 200, body: Data, headers: HTTPHeaders = HTTPHeaders(), pieceByteCount: Int = 64 << 10)
    /// An error instead of an answer.
    case failure(TransportError)
    /// An error after the first bytes of the body.
    case cut(body: Data, afterBytes: Int, headers: HTTPHeaders = HTTPHeaders(), error: TransportError)
  }

  private let script: @Sendable (TransportRequest) async throws -> Reply
  private let recorded = Lock<[TransportRequest]>([])

  /// Creates a transport; `script` is asked for every request, possibly several times at once, and may suspend.
  public init(_ script: @escaping @Sendable (TransportRequest) async throws -> Reply) {
    self.script = script
  }

  /// The requests so far, in their order.
  public var requests: [TransportRequest] { recorded.withLock { $0 } }

  /// Answers by the script.
  public func response(to request: TransportRequest) async throws -> TransportResponse {
    recorded.withLock { $0.append(request) }
    let reply = try await script(request)
    try Task.checkCancellation()
    switch reply {
    case .answer(let status, let body, let headers, let pieceByteCount):
      return Self.response(status: status, body: body, headers: headers, pieceByteCount: pieceByteCount, error: nil)
    case .failure(let error):
      throw error
    case .cut(let body, let afterBytes, let headers, let error):
      return Self.response(
        status: 200, body: body.prefix(afterBytes), headers: headers, pieceByteCount: 64 << 10, error: error)
    }
  }

  private static func response(
    status: Int, body: Data, headers: HTTPHeaders, pieceByteCount: Int, error: TransportError?
  ) -> TransportResponse {
    let rest = Lock(body)
    return TransportResponse(
      status: status, headers: headers,
      body: TransportBody {
        try Task.checkCancellation()
        let piece = rest.withLock { rest in
          defer { rest = Data(rest.dropFirst(max(1, pieceByteCount))) }
          return Data(rest.prefix(max(1, pieceByteCount)))
        }
        if piece.isEmpty, let error { throw error }
        return piece.isEmpty ? nil : piece
      })
  }
}
