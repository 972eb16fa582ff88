#if GTK
import HalcyonImaging
import CGTK

/// Keeps the pixels of a texture where they are; GLib releases it with the texture's bytes.
final class PixelOwner: Sendable {
  private let bitmap: Bitmap
  private let address: UInt
  private let textures: SharedTextures

  init(_ bitmap: Bitmap, address: UInt, textures: SharedTextures) {
    self.bitmap = bitmap
    self.address = address
    self.textures = textures
  }

  deinit { textures.remove(address, owner: ObjectIdentifier(self)) }

  /// The one texture of these pixels, which holds this owner until it is freed.
  func makeTexture() -> OpaquePointer {
    let owner = Unmanaged.passRetained(self).toOpaque()
    // The pointer is used after the closure: the bitmap lies still as long as its owner has it.
    let bytes = bitmap.withUnsafeBytes { pixels in
      g_bytes_new_with_free_func(
        pixels.baseAddress, gsize(pixels.count),
        { owner in
          owner.map { Unmanaged<PixelOwner>.fromOpaque($0).release() }
        }, owner)
    }
    defer { g_bytes_unref(bytes) }
    guard
      let texture = gdk_memory_texture_new(
        gint(bitmap.size.width), gint(bitmap.size.height), GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, bytes,
        gsize(bitmap.bytesPerRow))
    else { preconditionFailure("GDK makes no texture of \(bitmap.size) pixels") }
    return texture
  }
}
#endif
