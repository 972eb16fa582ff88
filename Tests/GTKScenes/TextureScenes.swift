#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonImaging

/// Textures that share the pixels of images.
@MainActor
enum TextureScenes {
  static func sharesPixels(_ stage: Stage) async throws {
    let image = try SolidImage.image(Color(red: 10, green: 20, blue: 30), width: 4096, height: 4096)
    let before = try residentByteCount()
    let texture = image.makeTexture()
    defer { g_object_unref(gpointer(texture)) }
    let growth = try residentByteCount() - before
    try stage.require(growth < 8 << 20, "a texture of 64 MiB of pixels took \(growth) bytes")
    try stage.require(gdk_texture_get_width(texture) == 4096, "the texture is \(gdk_texture_get_width(texture)) wide")
  }

  static func freesPixels(_ stage: Stage) async throws {
    let finalizations = FinalizationCounter()
    var textures: [OpaquePointer] = []
    for number in 0..<100 {
      let texture = try SolidImage.image(Color(red: number, green: 0, blue: 0), width: 200, height: 200).makeTexture()
      finalizations.watch(gpointer(texture))
      textures.append(texture)
    }
    try stage.require(SharedTextures.all.count == 100, "\(SharedTextures.all.count) textures of 100 are registered")
    for texture in textures { g_object_unref(gpointer(texture)) }
    try stage.require(finalizations.count == 100, "\(finalizations.count) textures of 100 were freed")
    try stage.require(SharedTextures.all.count == 0, "\(SharedTextures.all.count) textures are still registered")
  }

  static func isShared(_ stage: Stage) async throws {
    let image = try SolidImage.image(.red)
    let first = image.makeTexture()
    let second = image.makeTexture()
    try stage.require(first == second, "one image has two textures")
    g_object_unref(gpointer(first))
    try stage.require(SharedTextures.all.count == 1, "the texture was freed while it was in use")
    g_object_unref(gpointer(second))
    let third = image.makeTexture()
    g_object_unref(gpointer(third))
    try stage.require(SharedTextures.all.count == 0, "the texture was not freed")
  }

  /// Textures for either renderer have the colours of the bitmap, whatever its alpha.
  static func colors(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    try stage.require(Renderer(of: picture) == .cairo, "the window is not drawn by Cairo")
    let opaque: [UInt8] = [250, 130, 10, 255]
    let (clear, translucent): ([UInt8], [UInt8]) = ([0, 0, 0, 0], [90, 50, 7, 128])
    for pixels in [[opaque], [opaque, clear], [opaque, clear, translucent]] {
      let size = PixelSize(width: pixels.count, height: 2)
      let bitmap = try Bitmap(size: size, isOpaque: false) { $0.copyBytes(from: (pixels + pixels).joined()) }
      for renderer in [Renderer.graphics, .cairo] {
        let texture = SharedTextures.all.texture(for: bitmap, drawnBy: renderer)
        let second = SharedTextures.all.texture(for: bitmap, drawnBy: renderer)
        try stage.require(texture == second, "one bitmap has two textures for \(renderer)")
        g_object_unref(gpointer(second))
        var shown = [UInt8](repeating: 1, count: bitmap.byteCount)
        gdk_texture_download(texture, &shown, gsize(size.width * 4))
        g_object_unref(gpointer(texture))
        // The byte order of a download is Cairo's: blue, green, red, alpha.
        let expected = (pixels + pixels).flatMap { [$0[2], $0[1], $0[0], $0[3]] }
        try stage.require(shown == expected, "for \(renderer), \(pixels) are shown as \(shown)")
      }
    }
    try wideColors(stage)
    try lights(stage)
    try stage.require(SharedTextures.all.count == 0, "\(SharedTextures.all.count) textures were not freed")
  }

  /// The red of sRGB, in Display P3, is drawn as that red, which GTK 4.16 converts and GTK 4.8 gets converted.
  private static func wideColors(_ stage: Stage) throws {
    let size = PixelSize(width: 1, height: 1)
    let bitmap = try Bitmap(size: size, isOpaque: true, colorSpace: .displayP3) {
      $0.copyBytes(from: [234, 51, 35, 255])
    }
    for renderer in [Renderer.graphics, .cairo] {
      let texture = SharedTextures.all.texture(for: bitmap, drawnBy: renderer)
      defer { g_object_unref(gpointer(texture)) }
      var shown = [UInt8](repeating: 1, count: 4)
      gdk_texture_download(texture, &shown, 4)
      try stage.require(shown[2] >= 253 && shown[1] <= 12 && shown[0] <= 12, "for \(renderer), red is \(shown)")
    }
  }

  /// Half floats up to white are drawn as the bytes that stand for them, which GTK 4.16 converts and GTK 4.8 gets.
  private static func lights(_ stage: Stage) throws {
    // The linear light of a middle grey, of the red of sRGB in Display P3, and half transparent white.
    let light: [[Float]] = [[0.2140, 0.2140, 0.2140, 1], [0.8225, 0.0332, 0.0171, 1], [0.5, 0.5, 0.5, 0.5]]
    let bitmap = try Bitmap(size: PixelSize(width: 3, height: 1), isOpaque: false, dynamicRange: .high) { bytes in
      let halves = bytes.bindMemory(to: UInt16.self)
      for (index, number) in light.joined().enumerated() { halves[index] = HalfFloat.bits(number) }
    }
    for renderer in [Renderer.graphics, .cairo] {
      let texture = SharedTextures.all.texture(for: bitmap, drawnBy: renderer)
      defer { g_object_unref(gpointer(texture)) }
      var shown = [UInt8](repeating: 1, count: 12)
      gdk_texture_download(texture, &shown, 12)
      // Blue, green, red, alpha.
      let expected: [UInt8] = [128, 128, 128, 255, 0, 0, 255, 255, 128, 128, 128, 128]
      let isShown = zip(shown, expected).allSatisfy { abs(Int($0) - Int($1)) <= 12 }
      try stage.require(isShown, "for \(renderer), light is shown as \(shown)")
    }
  }

  private static func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// Counts the finalized objects among those watched.
@MainActor
final class FinalizationCounter {
  private(set) var count = 0

  /// Counts `object` when it is finalized.
  func watch(_ object: gpointer) {
    g_object_weak_ref(
      object.assumingMemoryBound(to: GObject.self),
      { data, _ in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
          data.map { Unmanaged<FinalizationCounter>.fromOpaque($0).takeRetainedValue().count += 1 }
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }
}
#endif
