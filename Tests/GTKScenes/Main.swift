#if GTK
import CHalcyonGTK
import Foundation
import HalcyonGTK

/// `halcyon-gtk-scenes NAME` runs one scene in a window. Exits with 0, or with 1 and the reason of the failure.
@main
enum Main {
  /// Seconds after which a hanging scene is killed by SIGALRM: less than the limit of its test.
  private static let timeLimit =
    120 * (ProcessInfo.processInfo.environment["HALCYON_TEST_PATIENCE"].flatMap { UInt32($0) } ?? 1)

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
    unblockSignals()
    alarm(timeLimit)
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

  /// Swift's threads block signals, and child processes inherit that.
  private static func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
  }
}
#else
@main
enum Main {
  static func main() { print("This build has no GTK: enable the trait GTK.") }
}
#endif
