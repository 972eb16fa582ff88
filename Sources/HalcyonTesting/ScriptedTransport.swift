import HalcyonSupport
public import HalcyonHTTP
public import Foundation

/// A transport that returns scripted responses, without a network.
///
/// ```swift
/// let transport = ScriptedTransport { request in .response(body: bytes, headers: ["ETag": "\"1\""]) }
/// let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, ImageCache(store: MemoryDataStore())) }
/// ```
///
/// A pipeline with the default cache could serve entries that an earlier run stored on disk.
public final class ScriptedTransport: Transport {
  /// The outcome of a request.
  @nonexhaustive
  public enum Reply: Sendable {
    /// A complete response; the body arrives in pieces of at most `pieceByteCount` bytes.
    ///
    /// `beforeRest` runs before each read after the first piece, so that a test can wait or cancel there.
    case response(
      status: Int = 200, body: Data, headers: HTTPHeaders = HTTPHeaders(), pieceByteCount: Int = 64 << 10,
      beforeRest: (@Sendable () async -> Void)? = nil)
    /// An error instead of a response.
    case failure(TransportError)
    /// A response whose body fails after `afterBytes` bytes.
    case cut(
      body: Data, afterBytes: Int, headers: HTTPHeaders = HTTPHeaders(), error: TransportError, status: Int = 200)
  }

  private let script: @Sendable (TransportRequest) async throws -> Reply
  private let recorded = Lock<[TransportRequest]>([])

  /// Creates a transport.
  ///
  /// - Parameter script: Called for every request, possibly concurrently; may suspend.
  public init(_ script: @escaping @Sendable (TransportRequest) async throws -> Reply) {
    self.script = script
  }

  /// The requests received so far, in order.
  public var requests: [TransportRequest] { recorded.withLock { $0 } }

  /// Returns the response, or throws the error, of the script.
  public func response(to request: TransportRequest) async throws -> TransportResponse {
    recorded.withLock { $0.append(request) }
    let reply = try await script(request)
    try Task.checkCancellation()
    switch reply {
    case .response(let status, let body, let headers, let pieceByteCount, let beforeRest):
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
