import Foundation
import HalcyonCache
public import HalcyonImaging
import HalcyonSupport

/// Memory that is reserved before it is used, so that concurrent work stays within a limit.
///
/// ```swift
/// configuration.memoryBudget = MemoryBudget(byteLimit: 1 << 30)
/// ```
///
/// Reservations are granted in the order of their requests. A reservation that alone exceeds the limit is granted when
/// nothing else is reserved. Several pipelines may share a budget.
public final class MemoryBudget: Sendable {
  private struct Waiter {
    let id: UInt64
    let byteCount: Int
    /// Called once: with whether the memory is reserved.
    let end: @Sendable (Bool) -> Void
  }

  private struct State {
    var reserved = 0
    var waiters: [Waiter] = []
    var nextID: UInt64 = 0
  }

  /// The most bytes that are reserved together.
  public let byteLimit: Int
  private let state = Lock(State())

  /// Half of the memory available to the process, within its control groups, in bytes.
  public static var defaultByteLimit: Int { MemoryCacheConfiguration.defaultCostLimit * 2 }

  /// Creates a budget.
  public init(byteLimit: Int = MemoryBudget.defaultByteLimit) { self.byteLimit = byteLimit }

  /// Runs `body` with reserved memory; blocks the thread until it can be reserved.
  public func withReservation<Result, Failure: Error>(
    _ byteCount: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let granted = DispatchSemaphore(value: 0)
    if !reserve(byteCount, newID(), orWait: { _ in granted.signal() }) { granted.wait() }
    defer { release(byteCount) }
    return try body()
  }

  /// Waits until memory can be reserved.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  package func reserve(_ byteCount: Int) async throws {
    let id = newID()
    let isReserved = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if reserve(byteCount, id, orWait: { continuation.resume(returning: $0) }) {
          return continuation.resume(returning: true)
        }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
    guard isReserved else { throw CancellationError() }
  }

  /// Ends a reservation.
  package func release(_ byteCount: Int) { change { $0.reserved -= byteCount } }

  /// Reservations that wait.
  package var waitingCount: Int { state.withLock { $0.waiters.count } }

  private func newID() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  /// Whether memory could be reserved at once; otherwise a waiter was added.
  private func reserve(_ byteCount: Int, _ id: UInt64, orWait end: @escaping @Sendable (Bool) -> Void) -> Bool {
    state.withLock { state in
      if state.waiters.isEmpty, fits(byteCount, state) {
        state.reserved += byteCount
        return true
      }
      state.waiters.append(Waiter(id: id, byteCount: byteCount, end: end))
      return false
    }
  }

  private func cancel(_ id: UInt64) {
    var cancelled: Waiter?
    change { state in
      if let index = state.waiters.firstIndex(where: { $0.id == id }) { cancelled = state.waiters.remove(at: index) }
    }
    cancelled?.end(false)
  }

  /// Changes the state, and grants what fits then.
  private func change(_ change: (inout State) -> Void) {
    let granted = state.withLock { state in
      change(&state)
      var granted: [Waiter] = []
      while let waiter = state.waiters.first, fits(waiter.byteCount, state) {
        state.reserved += waiter.byteCount
        granted.append(state.waiters.removeFirst())
      }
      return granted
    }
    for waiter in granted { waiter.end(true) }
  }

  private func fits(_ byteCount: Int, _ state: State) -> Bool {
    state.reserved == 0 || byteCount <= byteLimit - state.reserved
  }
}

extension ImageInfo {
  /// An estimate of the memory, in bytes, to decode the first frame and encode it again, excluding the bytes of the
  /// file.
  ///
  /// - Parameters:
  ///   - outputSize: The size of the decoded image.
  ///   - isProgressive: Whether the file is a progressive JPEG or an interlaced PNG.
  @_spi(Programs) public func decodingByteCount(outputSize: PixelSize, isProgressive: Bool = false) -> Int {
    let working = Double(storedSize.width) * Double(storedSize.height) * workingBytesPerPixel(isProgressive)
    // The bitmap, and the encoder's copy in its own colours.
    let output = Double(outputSize.width) * Double(outputSize.height) * 8
    return Int(clamping: min(working + output, Double(Int.max / 8))) + 1 << 20
  }

  /// The memory that a decoder takes besides its result, for each pixel of the source.
  private func workingBytesPerPixel(_ isProgressive: Bool) -> Double {
    switch format {
    // Coefficients of all scans.
    case .jpeg, .png: isProgressive ? 4 : 0.25
    case .bmp, .tiff: 1
    case .webp, .gif, .avif: 4
    case .heic, .svg, .ico: 7
    case .jpegXL: 16
    default: 8
    }
  }
}
