#if canImport(CurlShim)
public import HalcyonHTTP
import Foundation

/// Moves bytes with libcurl on a thread of its own: HTTP/1.1, and HTTP/2 where a secure server offers it.
///
/// Connections are kept and used again. No cookie is kept or sent. Proxies are taken from the environment as libcurl
/// does, unless an address policy has to be kept. A transport may be shared by any number of pipelines; its thread ends with
/// it and the last of its bodies.
public final class CurlTransport: Transport {
  /// What is not the same for every user.
  public struct Configuration: Hashable, Sendable {
    /// A file of certificates to trust (PEM) instead of the system's. Default: `nil`, the system's.
    public var certificateAuthorityFile: String?
    /// Which machines may be connected to. Default: any.
    ///
    /// It is asked at every connection, and connections are not shared with other transports. With any other policy no
    /// proxy is used: a proxy would connect where we cannot look.
    public var addressPolicy: AddressPolicy
    /// Whether compression is offered to servers and undone. Default: yes. Without it bodies are passed on as they are
    /// sent, as a proxy needs it; `Content-Encoding` tells how.
    public var decodesContent: Bool

    /// Creates a configuration.
    public init(
      certificateAuthorityFile: String? = nil, addressPolicy: AddressPolicy = .any, decodesContent: Bool = true
    ) {
      self.certificateAuthorityFile = certificateAuthorityFile
      self.addressPolicy = addressPolicy
      self.decodesContent = decodesContent
    }
  }

  private let thread: CurlThread

  /// Starts the thread.
  public init(configuration: Configuration = Configuration()) {
    thread = CurlThread(configuration)
  }

  /// Sends a request; see the laws of `Transport`.
  public func response(to request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    let transfer = prepare(request) {}
    transfer.begin()
    return try await transfer.response()
  }
}

extension CurlTransport: PreparingTransport {
  package func prepare(
    _ request: TransportRequest, onEnd: @escaping @Sendable () -> Void
  ) -> any PreparedTransfer {
    CurlTransfer(transfer: Transfer(request: request, onEnd: onEnd), thread: thread)
  }
}

/// What a task holds of a transfer: letting go of it ends the transfer.
private final class CurlTransfer: PreparedTransfer, BodySource {
  private let transfer: Transfer
  private let thread: CurlThread

  init(transfer: Transfer, thread: CurlThread) {
    self.transfer = transfer
    self.thread = thread
  }

  deinit { cancel() }

  var timings: TransportTimings? { transfer.timings }

  func begin() { thread.loop.post(.start(transfer)) }

  func cancel() {
    if transfer.end(.failure(.cancelled)) { thread.loop.post(.cancel(transfer)) }
  }

  func response() async throws -> TransportResponse {
    try await withTaskCancellationHandler {
      let head = try await transfer.head()
      return TransportResponse(status: head.status, headers: head.headers, body: TransportBody(self))
    } onCancel: {
      cancel()
    }
  }

  func next() async throws -> Data? {
    // Most of what is read is there already, small bodies with their heads: nothing to wait for, nothing to cancel.
    if !Task.isCancelled, let piece = try transfer.takePiece() { return read(piece) }
    return try await withTaskCancellationHandler {
      read(try await transfer.nextPiece())
    } onCancel: {
      cancel()
    }
  }

  private func read(_ piece: Transfer.Piece) -> Data? {
    if piece.letsServerGoOn { thread.loop.post(.unpause(transfer)) }
    return piece.bytes
  }
}
#endif
