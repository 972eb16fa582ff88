import Foundation
import HalcyonGTK

/// `halcyon-list URL…` shows a window with a list of images. Only visible rows have an image.
@main
enum Main {
  @MainActor static func main() {
    guard gtk_init_check() != 0, let window = gtk_window_new() else {
      print("There is no display.")
      exit(2)
    }
    let requests = CommandLine.arguments.dropFirst().map { ImageRequest(source: .string($0)) }
    let list = PictureGrid(requests, cellWidth: 240, cellHeight: 160, columns: 1...1)
    gtk_window_set_default_size(window.cast(), 480, 640)
    gtk_window_set_child(window.cast(), list.widget)
    let loop = g_main_loop_new(nil, 0)
    window.connect("destroy") { g_main_loop_quit(loop) }
    gtk_window_present(window.cast())
    g_main_loop_run(loop)
  }
}
