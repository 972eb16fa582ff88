import HalcyonSupport
import HalcyonHTTP
import Foundation

/// The buffer between the receiving side and the reader of one transfer, with back-pressure.
final class Transfer: Sendable {
  typealias Head = TransportHead

  // Checked continuations would cost an allocation each. `State` clears a continuation before it is resumed.

  /// Receiving pauses when this many unread bytes are buffered.
  private static let bufferLimit = 256 << 10

  private struct State {
    var head: Head?
    var headWaiter: UnsafeContinuation<Result<Head, TransportError>, Never>?
    var buffer = Data()
    var pieceWaiter: UnsafeContinuation<Void, Never>?
    var isPaused = false
    var outcome: Result<Void, TransportError>?
    var timings: TransportTimings?
    var received = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
      // A single piece gets a buffer of exactly its size.
      if buffer.isEmpty { buffer = Data(bytes) } else { buffer.append(contentsOf: bytes) }
      received += bytes.count
    }

    /// Removes the reader waiting for the head, if the head or an error can be delivered.
    mutating func takeHeadWaiter() -> (
      UnsafeContinuation<Result<Head, TransportError>, Never>, Result<Head, TransportError>
    )? {
      guard let waiter = headWaiter else { return nil }
      let result: Result<Head, TransportError>
      switch (head, outcome) {
      case (let head?, _): result = .success(head)
      case (nil, .failure(let error)): result = .failure(error)
      case (nil, .success): result = .failure(.malformedResponse(reason: "there is no head"))
      case (nil, nil): return nil
      }
      headWaiter = nil
      return (waiter, result)
    }

    /// Removes the reader waiting for body bytes, if there are some or the transfer has ended.
    mutating func takePieceWaiter() -> UnsafeContinuation<Void, Never>? {
      guard !buffer.isEmpty || outcome != nil else { return nil }
      defer { pieceWaiter = nil }
      return pieceWaiter
    }
  }

  let request: TransportRequest
  private let state = Lock(State())
  private let onEnd: @Sendable (TransportHead?) -> Void

  /// - Parameter onEnd: Called once, when the transfer has ended or was cancelled, with the head of the response.
  init(request: TransportRequest, onEnd: @escaping @Sendable (TransportHead?) -> Void = { _ in }) {
    self.request = request
    self.onEnd = onEnd
  }

  /// The host of the request, for errors.
  var host: String { request.url.host(percentEncoded: false) ?? "the host" }

  // For the reader.

  var timings: TransportTimings? { state.withLock { $0.timings } }

  /// Waits for the head of the response. Called once.
  func head() async throws(TransportError) -> Head {
    let result = await withUnsafeContinuation { continuation in
      state.withLock { $0.headWaiter = continuation }
      wakeReader()
    }
    return try result.get()
  }

  /// The result of one read.
  struct Piece {
    /// All buffered bytes; `nil` at the end of the body.
    var bytes: Data?
    /// Whether receiving was paused, and has to be resumed.
    var wasPaused = false
  }

  /// The buffered bytes or the end of the body, without waiting; `nil` while there is neither.
  func takePiece() throws(TransportError) -> Piece? {
    let (piece, outcome): (Piece?, Result<Void, TransportError>?) = state.withLock { state in
      guard !state.buffer.isEmpty else { return (nil, state.outcome) }
      defer {
        state.buffer = Data()
        state.isPaused = false
      }
      return (Piece(bytes: state.buffer, wasPaused: state.isPaused), nil)
    }
    guard let outcome else { return piece }
    try outcome.get()
    return Piece()
  }

  /// Waits for bytes or the end of the body.
  func nextPiece() async throws(TransportError) -> Piece {
    while true {
      if let piece = try takePiece() { return piece }
      await waitForChange()
    }
  }

  private func waitForChange() async {
    await withUnsafeContinuation { continuation in
      let isReady = state.withLock { state in
        guard state.buffer.isEmpty, state.outcome == nil else { return true }
        state.pieceWaiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  // For the receiving side.

  /// Whether the transfer has succeeded, failed or been cancelled.
  var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  /// Bytes of the body received so far.
  var received: Int { state.withLock { $0.received } }

  /// Whether receiving is paused until the reader has read.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Whether the head of the response has been received.
  var hasHead: Bool { state.withLock { $0.head != nil } }

  /// Stores the head; the next `wakeReader()` delivers it.
  func receive(_ head: Head) { state.withLock { $0.head = head } }

  /// Buffers bytes unless the buffer is full; the next `wakeReader()` delivers them.
  ///
  /// - Returns: `false` when the buffer is full: nothing was buffered, and receiving is paused.
  func offer(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard state.buffer.count < Self.bufferLimit else {
        state.isPaused = true
        return false
      }
      state.append(bytes)
      return true
    }
  }

  /// Buffers bytes even when the buffer is full.
  ///
  /// - Returns: Whether these bytes filled the buffer, so that receiving has to be paused.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      state.append(bytes)
      let becomesFull = !state.isPaused && state.buffer.count >= Self.bufferLimit
      if becomesFull { state.isPaused = true }
      return becomesFull
    }
  }

  /// Resumes the waiting reader, if there is something to deliver.
  ///
  /// Call it once for everything that arrived together: resuming a task is expensive.
  func wakeReader() {
    let (headWaiter, pieceWaiter) = state.withLock { ($0.takeHeadWaiter(), $0.takePieceWaiter()) }
    if let (waiter, result) = headWaiter { waiter.resume(returning: result) }
    pieceWaiter?.resume()
  }

  /// Ends the transfer; idempotent.
  ///
  /// Buffered bytes can still be read, except after a cancellation.
  ///
  /// - Returns: Whether this call ended the transfer; `false` when it had ended before.
  @discardableResult
  func end(_ outcome: Result<Void, TransportError>, timings: TransportTimings? = nil) -> Bool {
    let (isFirst, head) = state.withLock { state in
      guard state.outcome == nil else { return (false, state.head) }
      state.outcome = outcome
      state.timings = timings
      if case .failure(.cancelled) = outcome { state.buffer = Data() }
      return (true, state.head)
    }
    if isFirst {
      onEnd(head)
      wakeReader()
    }
    return isFirst
  }
}
