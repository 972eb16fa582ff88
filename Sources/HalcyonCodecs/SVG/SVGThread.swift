#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging
@_spi(Programs) import HalcyonSupport

/// Runs drawings on threads of their own.
///
/// librsvg recurses with the depth of a drawing and cannot be interrupted; the threads of the decoding pool have little
/// stack and are needed for other images. The fonts that pango keeps for each thread are freed with the thread.
enum SVGThread {
  private static let stackByteCount = 64 << 20
  /// Permits for drawings, also for those whose callers have been cancelled.
  private static let permits = Permits(limit: max(4, ProcessInfo.processInfo.activeProcessorCount * 2))

  /// The result of one drawing, and its permit, which is released with the result.
  private final class Outcome<Value: Sendable>: Sendable {
    let result = Lock<Result<Value, any Error>?>(nil)
    let drawing = Permits(limit: 1)
  }

  /// Runs `work` and waits for it.
  ///
  /// - Throws: Errors of `work`; `ImageDecodingError.cancelled` as soon as `isCancelled` returns true. Work that has
  ///   started then ends on its own.
  static func run<Value: Sendable>(
    isCancelled: () -> Bool, _ work: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    guard permits.acquireBlocking(isCancelled: isCancelled) else { throw ImageDecodingError.cancelled }
    let outcome = Outcome<Value>()
    outcome.drawing.take(1)
    Thread.start(named: "halcyon.svg", stackSize: stackByteCount) {
      let result = Result { try work() }
      permits.release()
      outcome.result.withLock { $0 = result }
      outcome.drawing.release()
    }
    guard outcome.drawing.acquireBlocking(isCancelled: isCancelled), let result = outcome.result.withLock(\.self)
    else { throw ImageDecodingError.cancelled }
    return try result.get()
  }
}
#endif
