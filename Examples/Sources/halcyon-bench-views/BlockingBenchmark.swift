import Foundation
import HalcyonGTK

/// How long images block the main thread, compared with `gdk_texture_new_from_bytes`, GTK's own way to decode them.
@MainActor
struct BlockingBenchmark {
  /// Rounds, of which the median is reported.
  private static let roundCount = 7

  private let urls: [URL]

  init(_ urls: [URL]) {
    self.urls = urls
  }

  func run() async throws {
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    // JPEGs, which both can decode.
    var bodies: [Data] = []
    for url in urls where bodies.count < Page.count {
      guard let data = try? await pipeline.data(for: ImageRequest(url: url)), ImageFormat(sniffing: data) == .jpeg
      else {
        continue
      }
      bodies.append(data)
    }
    var (ours, theirs): ([Duration], [Duration]) = ([], [])
    for _ in 0..<Self.roundCount {
      ours.append(try await measureOurs(bodies, pipeline))
      theirs.append(try await measureTheirs(bodies))
    }
    report(ours.sorted()[Self.roundCount / 2], theirs.sorted()[Self.roundCount / 2])
  }

  private func report(_ ours: Duration, _ theirs: Duration) {
    Metrics.print("views.blocking.halcyon", ours / .milliseconds(1), "ms")
    Metrics.print("views.blocking.gdk_texture_new_from_bytes", theirs / .milliseconds(1), "ms")
    Metrics.print("views.blocking.ratio", ours / theirs, "times", atMost: 0.04)
  }

  private func measureOurs(_ bodies: [Data], _ pipeline: ImagePipeline) async throws -> Duration {
    let page = try await Page(count: bodies.count)
    let requests = bodies.map { ImageRequest(source: .data($0, key: UUID().uuidString)) }
    let meter = FrameMeter(page.window)
    meter.reset()
    let start = Metrics.threadTime
    try await page.show(requests, pipeline: pipeline)
    // The main thread's processor time, excluding drawing.
    let time =
      meter.frames.isEmpty ? Metrics.threadTime - start : meter.frames.reduce(.zero, +) + meter.timeSinceLastFrame
    page.close()
    return time
  }

  private func measureTheirs(_ bodies: [Data]) async throws -> Duration {
    let page = try await Page(count: bodies.count)
    let start = Metrics.threadTime
    for (picture, body) in zip(page.pictures, bodies) {
      let bytes = body.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
      let texture = gdk_texture_new_from_bytes(bytes, nil)
      gtk_picture_set_paintable(OpaquePointer(picture), texture)
      g_bytes_unref(bytes)
      texture.map { g_object_unref(gpointer($0)) }
    }
    let time = Metrics.threadTime - start
    page.close()
    return time
  }
}
