#if GTK
import CGTK

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
#endif
