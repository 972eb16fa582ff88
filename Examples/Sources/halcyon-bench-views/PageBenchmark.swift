import Foundation
import HalcyonGTK

/// A page of 36 images from network, disk cache and memory cache.
@MainActor
struct PageBenchmark {
  private let requests: [ImageRequest]

  init(_ urls: [URL]) {
    requests = urls.prefix(Page.count).map { ImageRequest(url: $0) }
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipeline = ImagePipeline { $0.cache = ImageCache(in: folder) }
    try await measure("network", pipeline)
    await pipeline.cache.flush()
    pipeline.cache.memory.removeAll()
    try await measure("disk", pipeline)
    try await measure("memory", pipeline)
  }

  private func measure(_ tier: String, _ pipeline: ImagePipeline) async throws {
    let page = try await Page()
    let time = try await page.show(requests, pipeline: pipeline)
    Metrics.print("views.page_of_36.\(tier)", time / .milliseconds(1), "ms")
    page.close()
  }
}
