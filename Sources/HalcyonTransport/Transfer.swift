import HalcyonSupport
import HalcyonHTTP
import Foundation

/// What the side that receives and the reader of one transfer tell each other.
final class Transfer: Sendable {
  struct Head: Sendable {
    var status: Int
    var headers: HTTPHeaders
  }

  // The continuations are not checked ones, which cost an object each: `State` forgets one before it is resumed.

  /// Bytes that wait for the reader before the server is made to wait.
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
      // Bytes that come alone take no more memory than they need.
      if buffer.isEmpty { buffer = Data(bytes) } else { buffer.append(contentsOf: bytes) }
      received += bytes.count
    }

    /// The reader that waits for a head and now gets one, or an error.
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

    /// The reader that waits for bytes or the end, when there are some or it has come.
    mutating func takePieceWaiter() -> UnsafeContinuation<Void, Never>? {
      guard !buffer.isEmpty || outcome != nil else { return nil }
      defer { pieceWaiter = nil }
      return pieceWaiter
    }
  }

  let request: TransportRequest
  private let state = Lock(State())
  private let onEnd: @Sendable () -> Void

  /// - Parameter onEnd: Called once the transfer has ended, or was cancelled.
  init(request: TransportRequest, onEnd: @escaping @Sendable () -> Void = {}) {
    self.request = request
    self.onEnd = onEnd
  }

  // The reader's side.

  var timings: TransportTimings? { state.withLock { $0.timings } }

  /// The head of the answer, once it is there. Asked once.
  func head() async throws(TransportError) -> Head {
    let result = await withUnsafeContinuation { continuation in
      state.withLock { $0.headWaiter = continuation }
      wakeReader()
    }
    return try result.get()
  }

  /// What a reader gets at once.
  struct Piece {
    /// All bytes that had arrived and were not read yet; `nil` at the end of the body.
    var bytes: Data?
    /// Whether the server has been made to wait and may go on.
    var letsServerGoOn = false
  }

  /// What there is to read, or that the body has ended; `nil` while there is neither.
  func takePiece() throws(TransportError) -> Piece? {
    let (piece, outcome): (Piece?, Result<Void, TransportError>?) = state.withLock { state in
      guard !state.buffer.isEmpty else { return (nil, state.outcome) }
      defer {
        state.buffer = Data()
        state.isPaused = false
      }
      return (Piece(bytes: state.buffer, letsServerGoOn: state.isPaused), nil)
    }
    guard let outcome else { return piece }
    try outcome.get()
    return Piece()
  }

  /// Waits for something to read, or the end of the body.
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

  // The receiver's side.

  /// Whether there is an outcome.
  var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  /// Bytes of the body that have arrived.
  var received: Int { state.withLock { $0.received } }

  /// Whether the server is made to wait for the reader.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Whether the head of the answer is there.
  var hasHead: Bool { state.withLock { $0.head != nil } }

  /// Takes the head; the reader hears of it with the next `wakeReader()`.
  func receive(_ head: Head) { state.withLock { $0.head = head } }

  /// Takes bytes for the reader, who hears of them with the next `wakeReader()`.
  ///
  /// - Returns: `false`, and takes nothing, when the reader has too much to read already.
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

  /// Takes bytes for the reader, however much it has to read already.
  ///
  /// - Returns: Whether the server has to be made to wait from now on.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      state.append(bytes)
      let becomesFull = !state.isPaused && state.buffer.count >= Self.bufferLimit
      if becomesFull { state.isPaused = true }
      return becomesFull
    }
  }

  /// Tells a reader that waits what has come. Done once for all that came together: waking is dear.
  func wakeReader() {
    let (headWaiter, pieceWaiter) = state.withLock { ($0.takeHeadWaiter(), $0.takePieceWaiter()) }
    if let (waiter, result) = headWaiter { waiter.resume(returning: result) }
    pieceWaiter?.resume()
  }

  /// Ends the transfer, unless it has ended. What was received can still be read, unless it was cancelled.
  ///
  /// - Returns: Whether it had not ended before.
  @discardableResult
  func end(_ outcome: Result<Void, TransportError>, timings: TransportTimings? = nil) -> Bool {
    let isFirst = state.withLock { state in
      guard state.outcome == nil else { return false }
      state.outcome = outcome
      state.timings = timings
      if case .failure(.cancelled) = outcome { state.buffer = Data() }
      return true
    }
    if isFirst {
      onEnd()
      wakeReader()
    }
    return isFirst
  }
}
