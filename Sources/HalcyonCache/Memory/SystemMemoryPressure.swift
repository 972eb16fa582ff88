#if canImport(Darwin)
import Dispatch
#elseif os(Linux)
import HalcyonSupport
import Foundation
import Glibc
#endif

/// The memory pressure reported by the operating system.
///
/// On Linux, from the kernel's pressure stall information (PSI) of the process's control group, or else of the machine:
/// an event when tasks waited for memory during 15 % of one or two seconds. Without PSI, or the permission to use it,
/// there are no events. On Apple platforms, from libdispatch.
package struct SystemMemoryPressure: MemoryPressureSource {
  /// Creates the source.
  package init() {}

  /// Starts to watch for memory pressure; on Linux on a thread of its own.
  package func events() -> AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream.makeStream(of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    #if canImport(Darwin)
    // Safe from any thread, as its documentation says; not all SDKs declare it.
    nonisolated(unsafe) let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical])
    source.setEventHandler { continuation.yield(source.data.contains(.critical) ? .full : .some) }
    continuation.onTermination = { _ in source.cancel() }
    source.activate()
    #elseif os(Linux)
    if let watch = PressureStallWatch() {
      watch.report(to: continuation)
    } else {
      continuation.finish()
    }
    #else
    continuation.finish()
    #endif
    return stream
  }
}

#if os(Linux)
/// Waits on a thread of its own for PSI events: tasks that stall because they wait for memory.
///
/// See Documentation/accounting/psi.rst of Linux: after a trigger is written into the file, `poll` reports `POLLPRI` for
/// it when the threshold is exceeded, at most once per window.
final class PressureStallWatch: Sendable {
  // The stall time and its window, in microseconds. Without CAP_SYS_RESOURCE the kernel only accepts windows that are
  // multiples of 2 seconds.
  private static let thresholds = ["150000 1000000", "300000 2000000"]

  private let descriptors: [MemoryPressure: Int32]
  private let stopPipe: (reader: Int32, writer: Int32)

  /// Opens the first file that accepts triggers; `nil` if none does.
  convenience init?() {
    var opened: [MemoryPressure: Int32] = [:]
    for file in Self.files where opened.isEmpty { opened = Self.openTriggers(on: file) }
    self.init(triggers: opened)
  }

  /// Takes over open triggers; `nil` without any.
  init?(triggers: [MemoryPressure: Int32]) {
    guard !triggers.isEmpty else { return nil }
    descriptors = triggers
    var ends: [Int32] = [-1, -1]
    let status = pipe(&ends)
    stopPipe = (ends[0], ends[1])
    guard status == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    for descriptor in descriptors.values { close(descriptor) }
    close(stopPipe.reader)
    close(stopPipe.writer)
  }

  /// The pressure files of this process's control group, its ancestors and the machine.
  private static var files: [String] {
    let groups = AvailableMemory().groups.map { $0.appendingPathComponent("memory.pressure").path }
    return groups + ["/proc/pressure/memory"]
  }

  /// Reports events to a stream until it ends.
  func report(to continuation: AsyncStream<MemoryPressure>.Continuation) {
    continuation.onTermination = { _ in self.stop() }
    start(onPressure: { continuation.yield($0) }, onEnd: { continuation.finish() })
  }

  /// Starts the thread, which retains the watch until it is stopped.
  private func start(onPressure: @escaping @Sendable (MemoryPressure) -> Void, onEnd: @escaping @Sendable () -> Void) {
    Thread.start(named: "halcyon.memory", stackSize: 256 << 10) { [self] in
      while let pressure = wait() { onPressure(pressure) }
      onEnd()
    }
  }

  /// Ends the thread.
  private func stop() {
    var byte: UInt8 = 0
    write(stopPipe.writer, &byte, 1)
  }

  /// Blocks until there is pressure; `nil` once stopped, or if polling failed.
  private func wait() -> MemoryPressure? {
    let watched = descriptors.map { ($0.key, pollfd(fd: $0.value, events: Int16(POLLPRI), revents: 0)) }
    var polled = watched.map(\.1) + [pollfd(fd: stopPipe.reader, events: Int16(POLLIN), revents: 0)]
    while true {
      let count = poll(&polled, nfds_t(polled.count), -1)
      if count < 0 && errno == EINTR { continue }
      guard count > 0, polled.allSatisfy({ $0.revents & Int16(POLLERR | POLLNVAL) == 0 }) else { return nil }
      guard polled[polled.count - 1].revents == 0 else { return nil }
      let signalled = zip(watched, polled).filter { $0.1.revents & Int16(POLLPRI) != 0 }.map(\.0.0)
      return signalled.contains(.full) ? .full : .some
    }
  }

  private static func openTriggers(on file: String) -> [MemoryPressure: Int32] {
    var descriptors: [MemoryPressure: Int32] = [:]
    for (pressure, name) in [(MemoryPressure.some, "some"), (.full, "full")] {
      for threshold in thresholds where descriptors[pressure] == nil {
        descriptors[pressure] = openTrigger("\(name) \(threshold)", on: file)
      }
    }
    return descriptors
  }

  private static func openTrigger(_ trigger: String, on file: String) -> Int32? {
    let descriptor = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let bytes = Array(trigger.utf8) + [0]
    if write(descriptor, bytes, bytes.count) == bytes.count { return descriptor }
    close(descriptor)
    return nil
  }
}
#endif
