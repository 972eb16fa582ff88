#if canImport(CGTK)
import HalcyonSupport
import HalcyonImaging

import CGTK

extension DecodedImage {
  /// A `GdkTexture` that shares the image's pixels without a copy.
  ///
  /// The pixels are freed with their last owner, image or texture. While a texture of the same pixels exists, that one
  /// is returned, so the pixels are uploaded to the graphics card once. Safe from any thread.
  ///
  /// - Returns: A new reference, which the caller releases with `g_object_unref`.
  public func makeTexture() -> OpaquePointer { SharedTextures.all.texture(for: bitmap) }
}

/// Weak references to the textures in use, by the address of their pixels.
package final class SharedTextures: Sendable {
  package static let all = SharedTextures()

  private let textures = Lock<[UInt: WeakTexture]>([:])

  /// The number of textures in use.
  package var count: Int { textures.withLock { $0.count } }

  /// A new reference to the texture of a bitmap's pixels, which is created if there is none.
  func texture(for bitmap: Bitmap) -> OpaquePointer {
    let address = bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    if let texture = textures.withLock({ $0[address]?.makeReference() }) { return texture }
    let owner = PixelOwner(bitmap, address: address, textures: self)
    let texture = owner.makeTexture()
    let old = textures.withLock {
      $0.updateValue(WeakTexture(texture, owner: ObjectIdentifier(owner)), forKey: address)
    }
    withExtendedLifetime(old) {}
    return texture
  }

  /// Removes the texture of a freed owner, unless a newer texture has the same address.
  fileprivate func remove(_ address: UInt, owner: ObjectIdentifier) {
    let removed = textures.withLock { textures in
      textures[address]?.owner == owner ? textures.removeValue(forKey: address) : nil
    }
    withExtendedLifetime(removed) {}
  }
}

/// A weak reference to a texture.
///
/// Unchecked: `GWeakRef` is thread-safe, and its memory does not move.
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

  /// A new strong reference, or `nil` if the texture has been freed.
  func makeReference() -> OpaquePointer? { g_weak_ref_get(reference).map { OpaquePointer($0) } }
}

/// Retains the bitmap of a texture; released by GLib with the texture's `GBytes`.
private final class PixelOwner: Sendable {
  private let bitmap: Bitmap
  private let address: UInt
  private let textures: SharedTextures

  init(_ bitmap: Bitmap, address: UInt, textures: SharedTextures) {
    self.bitmap = bitmap
    self.address = address
    self.textures = textures
  }

  deinit { textures.remove(address, owner: ObjectIdentifier(self)) }

  /// Creates the texture, which retains this owner until it is freed.
  func makeTexture() -> OpaquePointer {
    let owner = Unmanaged.passRetained(self).toOpaque()
    // The pointer outlives the closure: a bitmap's pixels do not move while the owner retains it.
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
    else { preconditionFailure("gdk_memory_texture_new failed for \(bitmap.size) pixels") }
    return texture
  }
}
#endif
