import HalcyonSupport
import Foundation
import Synchronization

/// The uptime that ``SystemTime`` shows, up to one tick of the system's timer old, for a fraction of its price.
///
/// Measured: 25 ns for the exact clock, a third of a hit in memory, against 5 ns for the one that only says which tick
/// it is, 4 ms each. So the exact clock is asked once a tick. A tick that is not counted, because the machine sleeps, is
/// followed by one that is.
struct CoarseClock: ~Copyable, Sendable {
  private let tick = Atomic<Int64>(-1)
  private let uptime = Atomic<Int64>(0)

  @inline(__always)
  func nanoseconds() -> Int64 {
    #if os(Linux)
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
    let currentTick = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    if tick.load(ordering: .acquiring) == currentTick { return uptime.load(ordering: .relaxed) }
    return renew(at: currentTick)
    #else
    return SystemTime.uptimeNanoseconds()
    #endif
  }

  @inline(never)
  private func renew(at currentTick: Int64) -> Int64 {
    let exact = SystemTime.uptimeNanoseconds()
    uptime.store(exact, ordering: .relaxed)
    tick.store(currentTick, ordering: .releasing)
    return exact
  }
}
