import Foundation
import HalcyonGTK

@main
enum Main {
  @MainActor static func main() {
    guard let name = CommandLine.arguments.dropFirst().first else { return print("usage: Photos URL | FILE") }
    gtk_init()
    let window = gtk_window_new()!
    let picture = gtk_picture_new()!
    gtk_window_set_default_size(window.cast(), 720, 480)
    gtk_window_set_child(window.cast(), picture)

    let request = ImageRequest(source: source(name))
    picture.hc.setImage(with: request) { result in
      if case .failure(let error) = result { print(error) }
    }

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
