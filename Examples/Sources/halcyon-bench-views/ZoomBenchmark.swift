import Foundation
import HalcyonGTK

/// A photo of 48 megapixels in a view of 400×300 points, which is zoomed in to its pixels and out again.
@MainActor
struct ZoomBenchmark {
  private static let (width, height) = (8000, 6000)

  private let url: URL

  /// - Parameter url: The picture, of any size.
  init(_ url: URL) {
    self.url = url
  }

  func run() async throws {
    guard let window = gtk_window_new(), let scrolled = gtk_scrolled_window_new(), let picture = gtk_picture_new()
    else {
      preconditionFailure("GTK cannot create a window")
    }
    gtk_scrolled_window_set_child(scrolled.opaque, picture)
    gtk_window_set_default_size(window.cast(), 400, 300)
    gtk_window_set_child(window.cast(), scrolled)
    gtk_window_present(window.cast())
    let file = FileManager.default.temporaryDirectory.appending(path: "halcyon-bench-\(UUID().uuidString).jpg")
    try await encodedPhoto().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    picture.hc.setImage(with: file, pipeline: ImagePipeline { $0.cache = ImageCache(disk: nil) })
    try await wait(for: picture) { $0 > 0 }
    try await Task.sleep(for: .seconds(1))
    let before = Metrics.megabytes("VmRSS")
    gtk_widget_set_size_request(picture, gint(Self.width), gint(Self.height))
    try await wait(for: picture) { $0 == Self.width }
    try await Task.sleep(for: .seconds(1))
    Metrics.print("views.zoom.memory_zoomed_in", Metrics.megabytes("VmRSS") - before, "MB")
    gtk_widget_set_size_request(picture, 1, 1)
    try await Task.sleep(for: .seconds(5))
    Metrics.print("views.zoom.memory_5_seconds_later", Metrics.megabytes("VmRSS") - before, "MB", atMost: 100)
    gtk_window_destroy(window.cast())
  }

  private func wait(for picture: UnsafeMutablePointer<GtkWidget>, until: (Int) -> Bool) async throws {
    while !(picture.hc.phase.image.map { until($0.size.width) } ?? false) {
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private func encodedPhoto() async throws -> Data {
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    let size = TargetSize.exact(width: Self.width, height: Self.height)
    return try await pipeline.image(for: ImageRequest(url: url, size: size)).encoded(as: .jpeg, quality: 0.85)
  }
}
