import Foundation
import HalcyonGTK

/// A photo of 48 megapixels in a view of 400×300 points, which is zoomed in to its pixels and out again; and one of 200 megapixels
/// in a view that zooms itself, in which it is looked at like a map.
@MainActor
struct ZoomBenchmark {
  /// The first argument of the process that looks at the large photo.
  static let command = "map"

  private static let (width, height) = (8000, 6000)
  /// The largest photo of a telephone.
  private static let mapSize = PixelSize(width: 16_320, height: 12_240)

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
    try await encodedMap().write(to: file)
    print(try await OwnProcess.run([Self.command, file.path()]), terminator: "")
  }

  /// Five zooms, forty pans and a jump in a window of a desktop.
  static func look(at file: URL) async throws {
    guard let window = gtk_window_new() else { return }
    let view = ZoomableView(pipeline: ImagePipeline { $0.cache = ImageCache(disk: nil) })
    gtk_window_set_default_size(window.cast(), 1120, 760)
    gtk_window_set_child(window.cast(), view.widget)
    gtk_window_present(window.cast())
    let meter = FrameMeter(window)
    try await Task.sleep(for: .seconds(1))
    Metrics.resetPeak()
    let before = Metrics.megabytes("VmRSS")
    let start = Metrics.processTime
    view.hc.setImage(with: file)
    while view.hc.phase.image == nil || view.hc.isLoading { try await Task.sleep(for: .milliseconds(10)) }
    Metrics.print("views.map.cpu_of_first_view", (Metrics.processTime - start) / .milliseconds(1), "ms")
    try await Task.sleep(for: .seconds(1))
    meter.reset()
    var times: [Duration] = []
    func step(_ change: () -> Void) async throws {
      let start = Metrics.processTime
      change()
      try await Task.sleep(for: .milliseconds(500))
      times.append(Metrics.processTime - start)
    }
    for zoom in [0.1, 0.25, 0.5, 0.75, 1] { try await step { view.zoom = zoom } }
    Metrics.print("views.map.cpu_of_a_zoom_longest", Metrics.percentile(1, of: times), "ms")
    view.centre = (x: 1500, y: 1500)
    try await step {}
    times = []
    for index in 0..<40 {
      try await step { view.centre = (x: view.centre.x + 110, y: view.centre.y + (index % 2 == 0 ? 90 : 0)) }
    }
    Metrics.print("views.map.cpu_of_a_pan_p95", Metrics.percentile(0.95, of: times), "ms", atMost: 150)
    times = []
    try await step { view.centre = (x: 14_000, y: 11_000) }
    Metrics.print("views.map.cpu_of_a_jump", times[0] / .milliseconds(1), "ms")
    Metrics.print("views.map.main_thread_longest", Metrics.percentile(1, of: meter.frames), "ms", atMost: 32)
    Metrics.print("views.map.peak_growth", Metrics.megabytes("VmHWM") - before, "MB")
    Metrics.print("views.map.peak_memory", Metrics.megabytes("VmHWM"), "MB", atMost: 120)
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

  /// Copies of the photo side by side.
  private func encodedMap() async throws -> Data {
    let photo = try await ImagePipeline.shared.image(for: ImageRequest(url: url)).bitmap
    let (size, byteCount) = (Self.mapSize, photo.size.width * 4)
    let map = try Bitmap(size: size, isOpaque: true) { target in
      photo.withUnsafeBytes { source in
        guard let start = target.baseAddress, let first = source.baseAddress else { return }
        for row in 0..<size.height {
          let line = first + row % photo.size.height * photo.bytesPerRow
          let end = (row + 1) * size.width * 4
          for offset in stride(from: row * size.width * 4, to: end, by: byteCount) {
            (start + offset).copyMemory(from: line, byteCount: min(byteCount, end - offset))
          }
        }
      }
    }
    return try await DecodedImage(bitmap: map).encoded(as: .jpeg, quality: 0.85)
  }
}
