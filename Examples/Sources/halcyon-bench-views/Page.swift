import Foundation
import HalcyonGTK

/// A window with a grid of `GtkPicture` widgets.
@MainActor
final class Page {
  static let count = 36

  let window: UnsafeMutablePointer<GtkWidget>
  let pictures: [UnsafeMutablePointer<GtkWidget>]

  init(count: Int = Page.count, width: Int = 160, height: Int = 120, columns: Int = 6) async throws {
    guard let window = gtk_window_new(), let grid = gtk_grid_new() else {
      preconditionFailure("GTK cannot create a window")
    }
    self.window = window
    pictures = (0..<count).compactMap { number in
      guard let picture = gtk_picture_new() else { return nil }
      gtk_widget_set_size_request(picture, gint(width), gint(height))
      gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
      gtk_grid_attach(
        UnsafeMutableRawPointer(grid).assumingMemoryBound(to: GtkGrid.self), picture, Int32(number % columns),
        Int32(number / columns), 1, 1)
      return picture
    }
    gtk_window_set_child(typed, grid)
    gtk_window_present(typed)
    while gtk_widget_get_width(pictures[count - 1]) == 0 { try await Task.sleep(for: .milliseconds(10)) }
  }

  func close() { gtk_window_destroy(typed) }

  /// Sets all images, and waits until the last one is loaded.
  func show(_ requests: [ImageRequest], pipeline: ImagePipeline) async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    for (picture, request) in zip(pictures, requests) {
      picture.hc.setImage(with: request, pipeline: pipeline) { _ in end.yield() }
    }
    var remaining = min(pictures.count, requests.count)
    for await _ in ends {
      remaining -= 1
      if remaining == 0 { break }
    }
  }

  private var typed: UnsafeMutablePointer<GtkWindow> {
    UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
  }
}
