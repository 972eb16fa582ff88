import HalcyonSupport
public import HalcyonHTTP
public import Foundation

/// A transport that answers as a test tells it to, without a network.
///
/// ```swift
/// let transport = ScriptedTransport { request in .answer(body: photo, headers: ["ETag": "\"1\""]) }
/// let pipeline = ImagePipeline(transport: transport, cache: ImageCache(store: MemoryDataStore()))
/// ```
///
/// A pipeline with the usual cache would answer from the disk what an earlier run has stored there.
public final class ScriptedTransport: Transport {
  /// What a request gets.
  @nonexhaustive
  public enum Reply: Sendable {
    /// A whole answer; the body comes in pieces of at most `pieceByteCount` bytes.
    ///
    /// `beforeRest` runs before the second piece: a place to wait, or to cancel.
    case answer(
      status: Int = 200, body: Data, headers: HTTPHeaders = HTTPHeaders(), pieceByteCount: Int = 64 << 10,
      beforeRest: (@Sendable () async -> Void)? = nil)
    /// An error instead of an answer.
    case failure(TransportError)
    /// An error after the first bytes of the body.
    case cut(
      body: Data, afterBytes: Int, headers: HTTPHeaders = HTTPHeaders(), error: TransportError, status: Int = 200)
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
    case .answer(let status, let body, let headers, let pieceByteCount, let beforeRest):
      let body = Self.body(body, pieceByteCount: pieceByteCount, beforeRest: beforeRest, error: nil)
      return TransportResponse(status: status, headers: headers, body: body)
    case .failure(let error):
      throw error
    case .cut(let body, let afterBytes, let headers, let error, let status):
      let body = Self.body(body.prefix(afterBytes), pieceByteCount: 64 << 10, beforeRest: nil, error: error)
      return TransportResponse(status: status, headers: headers, body: body)
    }
  }

  private static func body(
    _ body: Data, pieceByteCount: Int, beforeRest: (@Sendable () async -> Void)?, error: TransportError?
  ) -> TransportBody {
    let rest = Lock((body: body, hasBegun: false))
    return TransportBody {
      if rest.withLock({ $0.hasBegun }), let beforeRest { await beforeRest() }
      try Task.checkCancellation()
      let piece = rest.withLock { rest in
        rest.hasBegun = true
        defer { rest.body = Data(rest.body.dropFirst(max(1, pieceByteCount))) }
        return Data(rest.body.prefix(max(1, pieceByteCount)))
      }
      if piece.isEmpty, let error { throw error }
      return piece.isEmpty ? nil : piece
    }
  }
}
