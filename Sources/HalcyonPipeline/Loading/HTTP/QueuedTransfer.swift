import Foundation
import HalcyonHTTP
import HalcyonSupport

/// A prepared transfer that begins on the thread that grants its permit.
final class QueuedTransfer: Sendable {
  /// The time at which a transfer began.
  struct Beginning: Sendable {
    let instant: ContinuousClock.Instant
    let date: Date
  }

  private struct State {
    var beginning: Beginning?
    var rejection: ImageError?
  }

  private let transfer: any PreparedTransfer
  private let time: any TimeSource
  private let state = Lock(State())

  init(_ transfer: any PreparedTransfer, time: any TimeSource) {
    self.transfer = transfer
    self.time = time
  }

  /// `nil` while the transfer waits for a permit.
  var beginning: Beginning? { state.withLock { $0.beginning } }

  /// Begins or cancels the transfer.
  func receive(_ outcome: ConnectionLimiter.Outcome) {
    switch outcome {
    case .granted:
      let beginning = Beginning(instant: .now, date: time.now())
      state.withLock { $0.beginning = beginning }
      transfer.begin()
    case .cancelled:
      transfer.cancel()
    case .rejected(let limit):
      state.withLock { $0.rejection = .tooManyWaiting(limit: limit) }
      transfer.cancel()
    }
  }

  /// Waits for the head of the response.
  func response(from url: URL) async throws(ImageError) -> TransportResponse {
    do {
      return try await transfer.response()
    } catch {
      throw state.withLock { $0.rejection } ?? ImageError(transferring: url, error)
    }
  }
}
