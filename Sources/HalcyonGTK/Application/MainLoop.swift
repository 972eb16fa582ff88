#if canImport(CHalcyonGTK)
import CHalcyonGTK
import Glibc

/// Runs Swift's main actor inside GLib's main loop.
public enum MainLoop {
  /// Attaches the main actor to GLib's default main context, which GTK uses.
  ///
  /// Without it, a program under `g_main_loop_run`, `gtk_application_run` and the like never runs tasks of the main
  /// actor. The loop sleeps while there is no work. Tasks and GLib sources take turns, so neither starves the other. A
  /// view calls this with its first image. Idempotent.
  ///
  /// The program's `main` has to be a synchronous function: an asynchronous one is itself a task of the main actor, and
  /// no other task runs until it ends. For the same reason a task that runs a nested loop, for example of a modal
  /// dialog, blocks all other tasks of the main actor.
  @MainActor
  public static func runMainActor() {
    _ = MainQueueSource.shared
  }
}

/// Two GLib sources that drain the dispatch main queue, on which the main actor runs.
///
/// Both poll the queue's file descriptor. The first has default priority, like events. If the queue is not empty after
/// a turn, the first source stops polling until the second one, of low priority, is dispatched because nothing else is
/// ready, or for 4 ms at most. So a queue that is never empty does not starve drawing and idle sources, and they do not
/// starve the queue.
@MainActor
private final class MainQueueSource {
  static let shared = MainQueueSource()

  /// Microseconds until a source that stopped polling is dispatched again.
  private static let longestBackoff: gint64 = 4_000

  private let descriptor = _dispatch_get_main_queue_handle_4CF()
  private let defaultSource: UnsafeMutablePointer<GSource>
  private let defaultSourceTag: gpointer?

  private init() {
    defaultSource = Self.makeSource(priority: G_PRIORITY_DEFAULT)
    defaultSourceTag = g_source_add_unix_fd(defaultSource, descriptor, G_IO_IN)
    let lowSource = Self.makeSource(priority: G_PRIORITY_LOW)
    g_source_add_unix_fd(lowSource, descriptor, G_IO_IN)
    for source in [defaultSource, lowSource] {
      g_source_attach(source, nil)
      g_source_unref(source)
    }
  }

  private static let functions: UnsafeMutablePointer<GSourceFuncs> = {
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.dispatch = { _, _, _ in
      MainActor.assumeIsolated { MainQueueSource.shared.drain() }
      return 1
    }
    return functions
  }()

  private static func makeSource(priority: gint) -> UnsafeMutablePointer<GSource> {
    guard let source = g_source_new(functions, guint(MemoryLayout<GSource>.size)) else {
      preconditionFailure("g_source_new failed")
    }
    g_source_set_priority(source, priority)
    g_source_set_name(source, "Swift main actor")
    return source
  }

  /// Runs the jobs that are queued now; jobs added meanwhile run in the next turn.
  private func drain() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    _dispatch_main_queue_callback_4CF(nil)
    let isBehind = hasWork
    g_source_modify_unix_fd(defaultSource, defaultSourceTag, isBehind ? GIOCondition(0) : G_IO_IN)
    g_source_set_ready_time(defaultSource, isBehind ? g_get_monotonic_time() + Self.longestBackoff : -1)
  }

  private var hasWork: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
  }
}
#endif
