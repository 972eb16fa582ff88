import Foundation
import HalcyonGTK

/// `halcyon-gallery [FOLDER | URL…]` shows images in a window: from a folder, from URLs, or hundreds from a web server
/// of its own.
@main
enum Main {
  @MainActor
  static func main() {
    guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
      print(Arguments.usage)
      exit(2)
    }
    guard gtk_init_check() != 0 else {
      print(
        """
        There is no display. Start this in a desktop session, or with a virtual display:
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
