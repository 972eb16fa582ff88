#if GTK
import CGTK
import Foundation
import Halcyon
import HalcyonGTK

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
