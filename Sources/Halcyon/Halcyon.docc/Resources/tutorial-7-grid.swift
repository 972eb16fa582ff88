import Foundation
import HalcyonGTK

@main
enum Main {
  @MainActor static func main() {
    gtk_init()
    let window = gtk_window_new()!
    let requests = CommandLine.arguments.dropFirst().map { ImageRequest(source: source($0)) }
    let grid = PictureGrid(requests, cellWidth: 240, cellHeight: 160)
    gtk_window_set_default_size(window.cast(), 780, 540)
    gtk_window_set_child(window.cast(), grid.widget)

    let loop = g_main_loop_new(nil, 0)
    window.connect("destroy") { g_main_loop_quit(loop) }
    gtk_window_present(window.cast())
    g_main_loop_run(loop)
  }
}

/// The image at a URL or a path.
func source(_ name: String) -> ImageSource {
  name.contains("://") ? .string(name) : .url(URL(filePath: name))
}
