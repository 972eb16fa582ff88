import HalcyonSupport
import HalcyonHTTP
import Foundation

/// A prepared transfer that begins when it gets a place among the connections.
final class QueuedTransfer: Sendable {
  /// When it began.
  struct Beginning: Sendable {
    let instant: ContinuousClock.Instant
    let date: Date
  }

  private struct State {
    var beginning: Beginning?
    var refusal: ImageError?
  }

  private let transfer: any PreparedTransfer
  private let time: any TimeSource
  private let state = Lock(State())

  init(_ transfer: any PreparedTransfer, time: any TimeSource) {
    self.transfer = transfer
    self.time = time
  }

  /// `nil` as long as it waits.
  var beginning: Beginning? { state.withLock { $0.beginning } }

  /// Takes what the gate answers.
  func take(_ answer: ConnectionLimiter.Answer) {
    switch answer {
    case .admitted:
      let beginning = Beginning(instant: .now, date: time.now())
      state.withLock { $0.beginning = beginning }
      transfer.begin()
    case .givenUp:
      transfer.cancel()
    case .refused(let limit):
      state.withLock { $0.refusal = .tooManyWaiting(limit: limit) }
      transfer.cancel()
    }
  }

  /// The head of the answer, once it is there.
  func response(from url: URL) async throws(ImageError) -> TransportResponse {
    do {
      return try await transfer.response()
    } catch {
      throw state.withLock { $0.refusal } ?? ImageError(transferring: url, error)
    }
  }
}
