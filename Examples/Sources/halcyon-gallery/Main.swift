import Foundation
import HalcyonGTK

/// `halcyon-gallery [FOLDER | ADDRESS…]` shows pictures in a window: those of a folder, those at some addresses, or
/// hundreds from a web server of its own.
@main
enum Main {
  @MainActor
  static func main() {
    guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
      print(Arguments.usage)
      exit(2)
    }
    // Pictures look best on a dark ground, unless somebody has another theme in mind.
    g_setenv("GTK_THEME", "Adwaita:dark", 0)
    guard gtk_init_check() != 0 else {
      print(
        """
        There is no display to show a window on. Start this in a desktop session, or with one that is only in memory:
          xvfb-run -a halcyon-gallery --screenshot gallery.png
        """)
      exit(2)
    }
    MainLoop.runMainActor()
    let loop = g_main_loop_new(nil, 0)
    Task {
      do {
        try await Gallery(arguments).run()
      } catch {
        print(error)
        exit(1)
      }
      g_main_loop_quit(loop)
    }
    g_main_loop_run(loop)
  }
}
