#if canImport(CurlShim)
import HalcyonHTTP
import Foundation

/// What a task holds of a transfer: letting go of it ends the transfer.
final class CurlTransfer: PreparedTransfer, BodySource {
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
