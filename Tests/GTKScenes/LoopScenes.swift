#if GTK
import CHalcyonGTK
import Glibc
import HalcyonGTK
import HalcyonSupport

/// The main actor inside GLib's main loop.
@MainActor
enum LoopScenes {
  private static let pollCount = Atomic(0)
  private static var isIdleDone = false

  static func runsTasks(_ stage: Stage) async throws {
    try stage.require(g_main_depth() > 0, "the scene runs outside of the main loop")
    let hops = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<1000 {
        group.addTask { await MainActor.run { g_main_depth() > 0 && g_main_context_is_owner(nil) != 0 } }
      }
      var count = 0
      for await isInside in group where isInside { count += 1 }
      return count
    }
    try stage.require(hops == 1000, "\(hops) of 1000 tasks ran inside the main loop")
  }

  static func sleeps(_ stage: Stage) async throws {
    MainLoop.runMainActor()
    await timeout(afterMilliseconds: 1)
    g_main_context_set_poll_func(nil) { descriptors, count, timeout in
      LoopScenes.pollCount.add(1)
      return UnsafeMutableRawPointer(descriptors).map {
        poll($0.assumingMemoryBound(to: pollfd.self), nfds_t(count), timeout)
      } ?? 0
    }
    for _ in 0..<5 { await timeout(afterMilliseconds: 20) }
    let count = pollCount.load()
    try stage.require(count < 100, "the main loop iterated \(count) times for 5 timeouts")
  }

  static func doesNotStarveSources(_ stage: Stage) async throws {
    _ = try await stage.addPicture()
    var isOver = false
    let flood = (0..<4).map { _ in
      Task { while !isOver { await Task.yield() } }
    }
    for priority in [G_PRIORITY_DEFAULT, gint(GDK_PRIORITY_REDRAW), G_PRIORITY_DEFAULT_IDLE] {
      await idle(priority: priority)
    }
    await stage.nextFrame()
    isOver = true
    for task in flood { await task.value }
  }

  static func doesNotStarveTasks(_ stage: Stage) async throws {
    for priority in [G_PRIORITY_DEFAULT, gint(GDK_PRIORITY_REDRAW), G_PRIORITY_DEFAULT_IDLE] {
      isIdleDone = false
      g_idle_add_full(priority, { _ in MainActor.assumeIsolated { LoopScenes.isIdleDone } ? 0 : 1 }, nil, nil)
      for _ in 0..<100 { await Task.detached {}.value }
      for _ in 0..<100 { await Task.yield() }
      isIdleDone = true
    }
  }

  /// Waits until an idle source of a priority has been dispatched.
  private static func idle(priority: gint) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      g_idle_add_full(priority, resume, Box(continuation).retained, nil)
    }
  }

  private static func timeout(afterMilliseconds delay: guint) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      g_timeout_add_full(G_PRIORITY_DEFAULT, delay, resume, Box(continuation).retained, nil)
    }
  }

  private static let resume: GSourceFunc = { data in
    data.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().continuation.resume() }
    return 0
  }

  private final class Box {
    let continuation: CheckedContinuation<Void, Never>

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }
  }
}
#endif
