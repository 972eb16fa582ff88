import Foundation
import HalcyonCore

/// What the side that receives and the reader of one transfer tell each other.
final class Transfer: Sendable {
  struct Head: Sendable {
    var status: Int
    var headers: HTTPHeaders
  }

  /// Bytes that wait for the reader before the server is made to wait.
  private static let bufferLimit = 256 << 10

  private struct State {
    var head: Head?
    var headWaiter: CheckedContinuation<Result<Head, TransportError>, Never>?
    var buffer = Data()
    var pieceWaiter: CheckedContinuation<Void, Never>?
    var isPaused = false
    var outcome: Result<Void, TransportError>?
    var timings: TransportTimings?
    var received = 0

    /// Adds bytes; what is returned has to be resumed.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> CheckedContinuation<Void, Never>? {
      buffer.append(contentsOf: bytes)
      received += bytes.count
      defer { pieceWaiter = nil }
      return pieceWaiter
    }
  }

  let request: TransportRequest
  private let state = Lock(State())

  init(request: TransportRequest) {
    self.request = request
  }

  // The reader's side.

  var timings: TransportTimings? { state.withLock(\.timings) }

  /// The head of the answer, once it is there. Asked once.
  func head() async throws(TransportError) -> Head {
    let result = await withCheckedContinuation { continuation in
      let known: Result<Head, TransportError>? = state.withLock { state in
        if let head = state.head { return .success(head) }
        if case .failure(let error) = state.outcome { return .failure(error) }
        state.headWaiter = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
    return try result.get()
  }

  /// All bytes that have arrived and were not read yet; `nil` at the end of the body.
  ///
  /// - Returns: The bytes, and whether the server has been made to wait and may go on.
  func nextPiece() async throws(TransportError) -> (piece: Data?, hasRoom: Bool) {
    while true {
      let next: (piece: Data?, hasRoom: Bool, outcome: Result<Void, TransportError>?) = state.withLock { state in
        guard !state.buffer.isEmpty else { return (nil, false, state.outcome) }
        defer {
          state.buffer = Data()
          state.isPaused = false
        }
        return (state.buffer, state.isPaused, nil)
      }
      if let piece = next.piece { return (piece, next.hasRoom) }
      if let outcome = next.outcome {
        try outcome.get()
        return (nil, false)
      }
      await waitForChange()
    }
  }

  private func waitForChange() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard state.buffer.isEmpty, state.outcome == nil else { return true }
        state.pieceWaiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  // The receiver's side.

  /// Whether there is an outcome.
  var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  /// Bytes of the body that have arrived.
  var received: Int { state.withLock(\.received) }

  /// Whether the server is made to wait for the reader.
  var isPaused: Bool { state.withLock(\.isPaused) }

  /// Whether the head of the answer is there.
  var hasHead: Bool { state.withLock { $0.head != nil } }

  func receive(_ head: Head) {
    let waiter = state.withLock { state in
      state.head = head
      defer { state.headWaiter = nil }
      return state.headWaiter
    }
    waiter?.resume(returning: .success(head))
  }

  /// Takes bytes for the reader.
  ///
  /// - Returns: `false`, and takes nothing, when the reader has too much to read already.
  func offer(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (isTaken, waiter): (Bool, CheckedContinuation<Void, Never>?) = state.withLock { state in
      guard state.buffer.count < Self.bufferLimit else {
        state.isPaused = true
        return (false, nil)
      }
      return (true, state.append(bytes))
    }
    waiter?.resume()
    return isTaken
  }

  /// Takes bytes for the reader, however much it has to read already.
  ///
  /// - Returns: Whether the server has to be made to wait from now on.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (becomesFull, waiter) = state.withLock { state in
      let waiter = state.append(bytes)
      let becomesFull = !state.isPaused && state.buffer.count >= Self.bufferLimit
      if becomesFull { state.isPaused = true }
      return (becomesFull, waiter)
    }
    waiter?.resume()
    return becomesFull
  }

  /// Ends the transfer, unless it has ended. What was received can still be read, unless it was cancelled.
  ///
  /// - Returns: Whether it had not ended before.
  @discardableResult
  func end(_ outcome: Result<Void, TransportError>, timings: TransportTimings? = nil) -> Bool {
    let (isFirst, waiters) = state.withLock { state in
      guard state.outcome == nil else { return (false, { () in }) }
      state.outcome = outcome
      state.timings = timings
      if case .failure(.cancelled) = outcome { state.buffer = Data() }
      let (headWaiter, pieceWaiter) = (state.headWaiter, state.pieceWaiter)
      state.headWaiter = nil
      state.pieceWaiter = nil
      let wake = {
        headWaiter?.resume(returning: outcome.flatMap { .failure(.malformedResponse(reason: "there is no head")) })
        pieceWaiter?.resume()
      }
      return (true, wake)
    }
    waiters()
    return isFirst
  }
}
