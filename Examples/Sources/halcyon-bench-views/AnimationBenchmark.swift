import Foundation
import HalcyonCodecs
import HalcyonGTK

/// An animation of 1,000 frames in 20 views, compared with gdk-pixbuf.
@MainActor
struct AnimationBenchmark {
  private static let viewCount = 20
  private nonisolated static let frameCount = 1000
  private static let playTime = Duration.seconds(6)

  func run() async throws {
    let gif = try await Task.detached { try Self.makeGIF() }.value
    let ours = try await measureOurs(gif)
    let theirs = try await measureTheirs(gif)
    Metrics.print("views.animation.processor", ours, "% of one")
    Metrics.print("views.animation.processor_gdk_pixbuf", theirs, "% of one")
    Metrics.print("views.animation.processor_ratio", ours / theirs, "times", atMost: 1)
  }

  private func measureOurs(_ gif: Data) async throws -> Double {
    let page = try await Page(count: Self.viewCount)
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    let request = ImageRequest(source: .data(gif, key: "gif"))
    // The first frame as a still image.
    let still = try await pipeline.image(for: request).bitmap
    var paintables: [OpaquePointer] = []
    for picture in page.pictures {
      let image = DecodedImage(bitmap: still, info: ImageInfo(format: .gif, storedSize: still.size))
      let texture = image.makeTexture()
      gtk_picture_set_paintable(OpaquePointer(picture), texture)
      paintables.append(texture)
    }
    try await Task.sleep(for: .seconds(1))
    let before = Metrics.megabytes("VmRSS")
    try await page.show(Array(repeating: request, count: Self.viewCount), pipeline: pipeline)
    let busy = try await measureProcessor()
    Metrics.print("views.animation.memory_growth", Metrics.megabytes("VmRSS") - before, "MB", atMost: 40)
    for texture in paintables { g_object_unref(gpointer(texture)) }
    page.close()
    return busy
  }

  /// Plays the animation by gdk-pixbuf, with an iterator and a texture for each view.
  private func measureTheirs(_ gif: Data) async throws -> Double {
    let page = try await Page(count: Self.viewCount)
    let file = FileManager.default.temporaryDirectory.appending(path: "halcyon-bench-\(UUID().uuidString).gif")
    try gif.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let before = Metrics.megabytes("VmRSS")
    guard let animation = gdk_pixbuf_animation_new_from_file(file.path(), nil) else { return 0 }
    let views = page.pictures.map { PixbufView($0, animation) }
    let busy = try await measureProcessor()
    Metrics.print("views.animation.memory_growth_gdk_pixbuf", Metrics.megabytes("VmRSS") - before, "MB")
    for view in views { view.stop() }
    g_object_unref(gpointer(animation))
    page.close()
    return busy
  }

  private func measureProcessor() async throws -> Double {
    let (start, begin) = (Metrics.processTime, ContinuousClock.now)
    try await Task.sleep(for: Self.playTime)
    return (Metrics.processTime - start) / begin.duration(to: .now) * 100
  }

  /// A bar that moves over a background of changing colour.
  private nonisolated static func makeGIF() throws -> Data {
    let size = PixelSize(width: 160, height: 120)
    let frames = try (0..<frameCount).map { number in
      let bitmap = try Bitmap(size: size, isOpaque: true) { pixels in
        for index in 0..<size.pixelCount {
          let (x, y) = (index % size.width, index / size.width)
          let isBar = (x + number) % size.width < 20
          pixels[index * 4] = isBar ? 255 : UInt8((number / 4 + y) % 128)
          pixels[index * 4 + 1] = isBar ? 220 : UInt8(x / 2)
          pixels[index * 4 + 2] = isBar ? 80 : UInt8(y)
          pixels[index * 4 + 3] = 255
        }
      }
      return AnimationFrame(bitmap: bitmap, duration: .milliseconds(40))
    }
    return try StandardCodecs.gif(frames)
  }
}
