#if GTK
import HalcyonSupport
import HalcyonImaging
import CGTK

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
#endif
