#if GTK
import HalcyonSupport
import HalcyonImaging

import CGTK

extension DecodedImage {
  /// The pixels as a `GdkTexture`, without a copy: texture and image share them, and whoever lets go last frees them.
  ///
  /// While a texture of the same pixels is in use, that one is returned, so that they reach the graphics card once. Safe
  /// from any thread.
  ///
  /// - Returns: A reference of the caller's own, to be given back with `g_object_unref`.
  public func makeTexture() -> OpaquePointer { SharedTextures.all.texture(for: bitmap) }
}

/// The textures that are in use, by the pixels that they show.
package final class SharedTextures: Sendable {
  package static let all = SharedTextures()

  private let textures = Lock<[UInt: WeakTexture]>([:])

  /// How many are in use.
  package var count: Int { textures.withLock { $0.count } }

  /// A new reference to the texture of a bitmap's pixels, made where there is none.
  func texture(for bitmap: Bitmap) -> OpaquePointer {
    let address = bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    if let texture = textures.withLock({ $0[address]?.takeReference() }) { return texture }
    let owner = PixelOwner(bitmap, address: address, textures: self)
    let texture = owner.makeTexture()
    let old = textures.withLock {
      $0.updateValue(WeakTexture(texture, owner: ObjectIdentifier(owner)), forKey: address)
    }
    withExtendedLifetime(old) {}
    return texture
  }

  /// Forgets a texture that is gone, unless another one has the place by now.
  func remove(_ address: UInt, owner: ObjectIdentifier) {
    let removed = textures.withLock { textures in
      textures[address]?.owner == owner ? textures.removeValue(forKey: address) : nil
    }
    withExtendedLifetime(removed) {}
  }
}

/// A texture that may be gone.
///
/// Unchecked: `GWeakRef` is made for use from several threads, and stays where it is.
private final class WeakTexture: @unchecked Sendable {
  let owner: ObjectIdentifier
  private let reference: UnsafeMutablePointer<GWeakRef>

  init(_ texture: OpaquePointer, owner: ObjectIdentifier) {
    self.owner = owner
    reference = .allocate(capacity: 1)
    g_weak_ref_init(reference, gpointer(texture))
  }

  deinit {
    g_weak_ref_clear(reference)
    reference.deallocate()
  }

  func takeReference() -> OpaquePointer? { g_weak_ref_get(reference).map { OpaquePointer($0) } }
}

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
