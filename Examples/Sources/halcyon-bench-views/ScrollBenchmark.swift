import Foundation
import GalleryViews
import HalcyonGTK
import HalcyonCache

/// Scrolls the gallery from start to end and back, in 60 steps a second.
@MainActor
struct ScrollBenchmark {
  private static let memoryLimit = 128 << 20

  private let items: [Item]

  init(_ urls: [URL]) {
    items = urls.map { Item(title: $0.lastPathComponent, badge: "", url: $0) }
  }

  func run() async throws {
    let empty = try await measureEmptyWindow()
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: Self.memoryLimit))
    let transport = CountingTransport()
    let cache = ImageCache(memory: memory, store: DiskCache(directory: folder))
    let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, cache) }
    let window = GalleryWindow(items, pipeline: pipeline, transport: transport)
    window.present()
    while !window.isSettled { try await Task.sleep(for: .milliseconds(50)) }
    let meter = FrameMeter(window.window)
    meter.reset()
    try await scroll(window.adjustment)
    Metrics.print("views.scroll.main_thread.p50", Metrics.percentile(0.5, of: meter.frames), "ms")
    Metrics.print("views.scroll.main_thread.p99", Metrics.percentile(0.99, of: meter.frames), "ms", atMost: 8)
    Metrics.print("views.scroll.frames", Double(meter.frames.count), "frames")
    Metrics.print("views.scroll.downloads", Double(transport.current.responses), "pictures")
    let (peak, limit) = (Metrics.megabytes("VmHWM"), Double(Self.memoryLimit >> 20))
    Metrics.print("views.scroll.memory_of_empty_window", empty, "MB")
    Metrics.print("views.scroll.peak_memory", peak, "MB")
    Metrics.print("views.scroll.peak_memory_over_cache_limit", peak - limit, "MB", atMost: 100)
    Metrics.print("views.scroll.peak_memory_over_cache_limit_and_empty_window", peak - limit - empty, "MB")
    gtk_window_destroy(UnsafeMutableRawPointer(window.window).assumingMemoryBound(to: GtkWindow.self))
  }

  /// The resident memory of a GTK program before the first image, in MiB.
  private func measureEmptyWindow() async throws -> Double {
    let page = try await Page(count: 1)
    try await Task.sleep(for: .milliseconds(500))
    defer { page.close() }
    return Metrics.megabytes("VmRSS")
  }

  private func scroll(_ adjustment: UnsafeMutablePointer<GtkAdjustment>) async throws {
    let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
    // Points per step: the height of an image in a quarter of a second.
    let step = 13.0
    let there = stride(from: 0, to: end, by: step)
    let clock = ContinuousClock()
    var next = clock.now
    for value in Array(there) + there.reversed() {
      gtk_adjustment_set_value(adjustment, value)
      next += .microseconds(16_667)
      try await Task.sleep(until: next, clock: clock)
    }
  }
}
