#if GTK
import CGTK
import Foundation
import HalcyonGTK

/// `halcyon-gtk-scenes NAME` plays one scene in a window and says whether what it claims holds: 0, or 1 with a reason.
@main
enum Main {
  /// Seconds after which a scene that waits for something that never comes is ended.
  private static let longestScene: UInt32 = 120

  @MainActor
  static func main() {
    guard CommandLine.arguments.count == 2, let scene = Scenes.all[CommandLine.arguments[1]] else {
      print("usage: halcyon-gtk-scenes \(Scenes.all.keys.sorted().joined(separator: "|"))")
      exit(2)
    }
    guard gtk_init_check() != 0 else {
      print("There is no display.")
      exit(2)
    }
    letSignalsThrough()
    alarm(longestScene)
    MainLoop.runMainActor()
    let loop = g_main_loop_new(nil, 0)
    Task {
      do {
        try await scene(Stage())
      } catch {
        print(error)
        exit(1)
      }
      g_main_loop_quit(loop)
    }
    g_main_loop_run(loop)
  }

  /// Threads of Swift's block signals, and whom they start inherits that.
  private static func letSignalsThrough() {
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
  }
}
#else
@main
enum Main {
  static func main() { print("This build has no GTK: switch the trait GTK on.") }
}
#endif
