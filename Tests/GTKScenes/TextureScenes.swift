#if GTK
import CGTK
import Foundation
import Halcyon
import HalcyonGTK

/// Pixels of images as textures.
@MainActor
enum TextureScenes {
  static func sharesPixels(_ stage: Stage) async throws {
    let image = try SolidImage.image(Color(red: 10, green: 20, blue: 30), width: 4096, height: 4096)
    let before = try residentByteCount()
    let texture = image.makeTexture()
    defer { g_object_unref(gpointer(texture)) }
    let growth = try residentByteCount() - before
    try stage.require(growth < 8 << 20, "64 MB of pixels made a texture of \(growth) bytes more")
    try stage.require(gdk_texture_get_width(texture) == 4096, "the texture is \(gdk_texture_get_width(texture)) wide")
  }

  static func freesPixels(_ stage: Stage) async throws {
    let finalisations = Finalisations()
    var textures: [OpaquePointer] = []
    for number in 0..<100 {
      let texture = try SolidImage.image(Color(red: number, green: 0, blue: 0), width: 200, height: 200).makeTexture()
      finalisations.watch(gpointer(texture))
      textures.append(texture)
    }
    try stage.require(SharedTextures.all.count == 100, "\(SharedTextures.all.count) textures of 100 are known")
    for texture in textures { g_object_unref(gpointer(texture)) }
    try stage.require(finalisations.count == 100, "\(finalisations.count) textures of 100 were freed")
    try stage.require(SharedTextures.all.count == 0, "pixels of \(SharedTextures.all.count) textures are still held")
  }

  static func isShared(_ stage: Stage) async throws {
    let image = try SolidImage.image(.red)
    let first = image.makeTexture()
    let second = image.makeTexture()
    try stage.require(first == second, "one image has two textures")
    g_object_unref(gpointer(first))
    try stage.require(SharedTextures.all.count == 1, "the texture was freed while it was used")
    g_object_unref(gpointer(second))
    let third = image.makeTexture()
    g_object_unref(gpointer(third))
    try stage.require(SharedTextures.all.count == 0, "a texture is left")
  }

  private static func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// Counts objects of GLib's that are freed.
@MainActor
final class Finalisations {
  private(set) var count = 0

  /// Counts this one when it is freed.
  func watch(_ object: gpointer) {
    g_object_weak_ref(
      object.assumingMemoryBound(to: GObject.self),
      { data, _ in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
          data.map { Unmanaged<Finalisations>.fromOpaque($0).takeRetainedValue().count += 1 }
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }
}
#endif
