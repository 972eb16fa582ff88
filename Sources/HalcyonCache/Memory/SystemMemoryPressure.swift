#if canImport(Darwin)
import Dispatch
#endif

/// What the system itself tells of memory pressure.
///
/// On Linux these are the kernel's pressure stall figures, of the process's control group or else of the machine: tasks
/// that waited for memory for 15 % of a second or two. It needs a kernel with PSI and the right to ask it; without them
/// nothing is ever told. On Apple's systems it is the memory pressure of libdispatch.
public struct SystemMemoryPressure: MemoryPressureSource {
  /// Creates the source.
  public init() {}

  /// Starts to watch.
  public func events() -> AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream.makeStream(of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    #if canImport(Darwin)
    let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical])
    source.setEventHandler { continuation.yield(source.data.contains(.critical) ? .full : .some) }
    continuation.onTermination = { _ in source.cancel() }
    source.activate()
    #elseif os(Linux)
    if let watch = PressureStallWatch() {
      continuation.onTermination = { _ in watch.stop() }
      watch.start(onPressure: { continuation.yield($0) }, onEnd: { continuation.finish() })
    } else {
      continuation.finish()
    }
    #else
    continuation.finish()
    #endif
    return stream
  }
}
