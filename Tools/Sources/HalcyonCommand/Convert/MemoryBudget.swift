import Foundation
import Halcyon
import Synchronization

/// Memory that threads reserve before they use it, so that together they stay within a limit.
///
/// Reservations are granted in the order in which they were requested. One that exceeds the limit alone is granted when
/// nothing else is reserved.
final class MemoryBudget: Sendable {
  private struct Waiter {
    var byteCount: Int
    var granted: DispatchSemaphore
  }

  private struct State {
    var reserved = 0
    var waiters: [Waiter] = []
  }

  /// Bytes.
  let limit: Int
  private let state = Mutex(State())

  /// Half of the memory available to the process, within its control groups, in bytes.
  static var defaultLimit: Int { MemoryCacheConfiguration.defaultCostLimit * 2 }

  init(limit: Int) { self.limit = limit }

  /// Runs `body` with reserved memory; blocks until it can be reserved.
  func withReservation<Result, Failure: Error>(
    _ byteCount: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    reserve(byteCount)
    defer { release(byteCount) }
    return try body()
  }

  private func reserve(_ byteCount: Int) {
    let granted = state.withLock { state -> DispatchSemaphore? in
      if state.waiters.isEmpty, fits(byteCount, state) {
        state.reserved += byteCount
        return nil
      }
      let granted = DispatchSemaphore(value: 0)
      state.waiters.append(Waiter(byteCount: byteCount, granted: granted))
      return granted
    }
    granted?.wait()
  }

  private func release(_ byteCount: Int) {
    let granted = state.withLock { state in
      state.reserved -= byteCount
      var granted: [DispatchSemaphore] = []
      while let waiter = state.waiters.first, fits(waiter.byteCount, state) {
        state.reserved += waiter.byteCount
        granted.append(waiter.granted)
        state.waiters.removeFirst()
      }
      return granted
    }
    for semaphore in granted { semaphore.signal() }
  }

  private func fits(_ byteCount: Int, _ state: State) -> Bool {
    state.reserved == 0 || state.reserved + byteCount <= limit
  }
}

/// An estimate of the memory that the conversion of one image takes.
enum ConversionMemory {
  /// - Parameters:
  ///   - info: The properties of the source.
  ///   - output: The size of the result.
  ///   - isProgressive: Whether the source is a progressive JPEG or an interlaced PNG.
  /// - Returns: Bytes, without those of the encoded source.
  static func byteCount(_ info: ImageInfo, output: PixelSize, isProgressive: Bool) -> Int {
    let working = Double(info.storedSize.pixelCount) * bytesPerPixel(info.format, isProgressive)
    // The bitmap, and the encoder's copy in its own colours.
    return Int(working) + output.pixelCount * 8 + (1 << 20)
  }

  /// The memory that a decoder takes besides its result, for each pixel of the source.
  private static func bytesPerPixel(_ format: ImageFormat, _ isProgressive: Bool) -> Double {
    switch format {
    // Coefficients of all scans.
    case .jpeg: isProgressive ? 4 : 0.25
    case .png: isProgressive ? 4 : 0.25
    case .bmp, .tiff: 1
    case .webp, .gif, .avif: 4
    case .heic, .svg, .ico: 7
    case .jpegXL: 16
    default: 8
    }
  }
}
