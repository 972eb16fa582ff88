#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonSupport

/// Runs drawings on threads of their own.
///
/// librsvg recurses with the depth of a drawing and cannot be interrupted; the threads of the decoding pool have little
/// stack and are needed for other images. The fonts that pango keeps for each thread are freed with the thread.
enum SVGThread {
  private static let stackByteCount = 64 << 20
  /// How often a waiting caller asks whether it is cancelled, in seconds.
  private static let pollInterval = 0.01
  private static let permits = Permits(count: max(4, ProcessInfo.processInfo.activeProcessorCount * 2))

  /// Runs `work` and waits for it.
  ///
  /// - Throws: Errors of `work`; `ImageDecodingError.cancelled` as soon as `isCancelled` returns true. Work that has
  ///   started then ends on its own.
  static func run<Value: Sendable>(
    isCancelled: () -> Bool, _ work: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    try permits.acquire(isCancelled: isCancelled)
    let outcome = Outcome<Value>()
    Thread.start(named: "halcyon.svg", stackSize: stackByteCount) {
      let result = Result { try work() }
      permits.release()
      outcome.set(result)
    }
    return try outcome.wait(isCancelled: isCancelled).get()
  }

  /// Limits the number of drawings, also of those whose callers are gone. Unchecked: guarded by the condition.
  private final class Permits: @unchecked Sendable {
    private let condition = NSCondition()
    private var count: Int

    init(count: Int) { self.count = count }

    func acquire(isCancelled: () -> Bool) throws(ImageDecodingError) {
      repeat {
        if isCancelled() { throw .cancelled }
      } while !acquireInTime()
    }

    /// Whether a permit was free before the next poll.
    private func acquireInTime() -> Bool {
      condition.withLock {
        if count == 0 { _ = condition.wait(until: Date(timeIntervalSinceNow: pollInterval)) }
        guard count > 0 else { return false }
        count -= 1
        return true
      }
    }

    func release() {
      condition.withLock { count += 1 }
      condition.signal()
    }
  }

  /// The result of one drawing. Unchecked: guarded by the condition.
  private final class Outcome<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var result: Result<Value, any Error>?

    func set(_ result: Result<Value, any Error>) {
      condition.withLock { self.result = result }
      condition.signal()
    }

    func wait(isCancelled: () -> Bool) throws(ImageDecodingError) -> Result<Value, any Error> {
      while true {
        if let result = resultInTime() { return result }
        if isCancelled() { throw .cancelled }
      }
    }

    /// The result, if it is there before the next poll.
    private func resultInTime() -> Result<Value, any Error>? {
      condition.withLock {
        if result == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: pollInterval)) }
        return result
      }
    }
  }
}
#endif
