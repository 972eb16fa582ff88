#if GTK
import CGTK

/// Calls a closure once, after some time, from GLib's main loop, unless it is cancelled before.
@MainActor
final class Timer {
  private let body: @MainActor () -> Void
  private var id: guint?

  init(_ delay: Duration, _ body: @escaping @MainActor () -> Void) {
    self.body = body
    let milliseconds = guint(max(0, min(delay / .milliseconds(1), 3_600_000)))
    id = g_timeout_add_full(
      G_PRIORITY_DEFAULT, milliseconds,
      { data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
          let timer = data.map { Unmanaged<Timer>.fromOpaque($0).takeUnretainedValue() }
          timer?.id = nil
          timer?.body()
        }
        return 0
      }, Unmanaged.passRetained(self).toOpaque(),
      { data in
        data.map { Unmanaged<Timer>.fromOpaque($0).release() }
      })
  }

  func cancel() {
    if let id { g_source_remove(id) }
    id = nil
  }
}
#endif
