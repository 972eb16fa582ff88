#if GTK
import CGTK
import Glibc

/// GLib's main loop and Swift's main actor on one thread.
public enum MainLoop {
  /// Lets tasks of the main actor run inside the main loop of the default context, which is GTK's.
  ///
  /// Without it a program under `g_main_loop_run`, `gtk_application_run` and the like never runs what awaits the main
  /// actor. The loop sleeps while there is nothing to do. Tasks and GLib's sources take turns: a flood of either lets the
  /// other through. Views do this by themselves when they are given their first image; doing it again does nothing.
  ///
  /// The program's `main` has to be a synchronous function: an asynchronous one is itself a task of the main actor, and
  /// no other runs until it ends. For the same reason a task that runs a loop of its own, such as that of a modal dialog,
  /// keeps others waiting.
  @MainActor
  public static func runMainActor() {
    _ = MainQueueSource.shared
  }
}

/// The main queue, on which the main actor runs, as a source of GLib's main loop.
///
/// There are two sources on one descriptor. The urgent one serves the queue like an event. When more work is there right
/// after a turn, it rests, until the other one says that nothing else has been ready, but at most 4 ms: so a queue that
/// is never empty stops neither drawing nor idle work, and these cannot stop the queue.
@MainActor
final class MainQueueSource {
  static let shared = MainQueueSource()

  private static let longestRest: gint64 = 4_000

  private let descriptor = _dispatch_get_main_queue_handle_4CF()
  private let urgent: UnsafeMutablePointer<GSource>
  private let urgentTag: gpointer?

  private init() {
    urgent = Self.makeSource(priority: G_PRIORITY_DEFAULT)
    urgentTag = g_source_add_unix_fd(urgent, descriptor, G_IO_IN)
    let patient = Self.makeSource(priority: G_PRIORITY_LOW)
    g_source_add_unix_fd(patient, descriptor, G_IO_IN)
    for source in [urgent, patient] {
      g_source_attach(source, nil)
      g_source_unref(source)
    }
  }

  private static let functions: UnsafeMutablePointer<GSourceFuncs> = {
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.dispatch = { _, _, _ in
      MainActor.assumeIsolated { MainQueueSource.shared.takeTurn() }
      return 1
    }
    return functions
  }()

  private static func makeSource(priority: gint) -> UnsafeMutablePointer<GSource> {
    guard let source = g_source_new(functions, guint(MemoryLayout<GSource>.size)) else {
      preconditionFailure("GLib makes no source")
    }
    g_source_set_priority(source, priority)
    g_source_set_name(source, "Swift main actor")
    return source
  }

  /// Runs what is in the queue now; what comes meanwhile waits for the next turn.
  private func takeTurn() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    _dispatch_main_queue_callback_4CF(nil)
    let isBehind = hasWork
    g_source_modify_unix_fd(urgent, urgentTag, isBehind ? GIOCondition(0) : G_IO_IN)
    g_source_set_ready_time(urgent, isBehind ? g_get_monotonic_time() + Self.longestRest : -1)
  }

  private var hasWork: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
  }
}
#endif
