#if canImport(CHalcyonGTK)
import HalcyonSupport
import HalcyonImaging

import CHalcyonGTK

extension DecodedImage {
  /// A `GdkTexture` that shares the image's pixels without a copy.
  ///
  /// The pixels are freed with their last owner, image or texture. While a texture of the same pixels exists, that one
  /// is returned, so the pixels are uploaded to the graphics card once. Safe from any thread.
  ///
  /// - Returns: A new reference, which the caller releases with `g_object_unref`.
  public func makeTexture() -> OpaquePointer { SharedTextures.all.texture(for: bitmap) }
}

/// Weak references to the textures in use, by their pixels.
package final class SharedTextures: Sendable {
  package static let all = SharedTextures()

  fileprivate struct Key: Hashable {
    let address: UInt
    let renderer: Renderer
  }

  private let textures = Lock<[Key: (texture: WeakObject, owner: ObjectIdentifier)]>([:])

  /// The number of textures in use.
  package var count: Int { textures.withLock { $0.count } }

  /// A new reference to the texture of a bitmap's pixels, which is created if there is none.
  ///
  /// - Parameter renderer: The renderer to choose the fastest format for; the colours are the same with any other.
  package func texture(for bitmap: Bitmap, drawnBy renderer: Renderer = .graphics) -> OpaquePointer {
    let key = Key(address: bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }, renderer: renderer)
    if let texture = textures.withLock({ $0[key]?.texture.makeReference() }) { return texture }
    let owner = PixelOwner(bitmap, key: key, textures: self)
    let texture = owner.makeTexture()
    let old = textures.withLock {
      $0.updateValue((WeakObject(texture), ObjectIdentifier(owner)), forKey: key)
    }
    withExtendedLifetime(old) {}
    return texture
  }

  /// Removes the texture of a freed owner, unless a newer texture has the same key.
  fileprivate func remove(_ key: Key, owner: ObjectIdentifier) {
    let removed = textures.withLock { textures in
      textures[key]?.owner == owner ? textures.removeValue(forKey: key) : nil
    }
    withExtendedLifetime(removed) {}
  }
}

/// Retains the pixels of a texture; released by GLib with the texture's `GBytes`.
///
/// Unchecked: the copy is written before anything else refers to it.
private final class PixelOwner: @unchecked Sendable {
  /// Retained even if there is a copy, so that no other bitmap gets its address.
  private let bitmap: Bitmap
  /// The bitmap in a space in which GTK draws textures: bytes in sRGB before GTK 4.16.
  private let shown: Bitmap
  private let key: SharedTextures.Key
  private let textures: SharedTextures
  private let format: GdkMemoryFormat
  /// The pixels in another format than the bitmap's.
  private let copy: UnsafeMutableRawBufferPointer?

  /// Chooses the format that is drawn fastest.
  ///
  /// For Cairo, GTK 4.8 converts premultiplied pixels through floating-point numbers at each drawing, but straight
  /// pixels and pixels without alpha with integers, which halves the CPU time of an animation. Pixels without alpha are
  /// copied, once for all drawings.
  init(_ bitmap: Bitmap, key: SharedTextures.Key, textures: SharedTextures) {
    self.bitmap = bitmap
    // Without memory for a copy, colours are a little pale.
    shown = gtk_shim_has_color_states() != 0 ? bitmap : (try? bitmap.converted(to: .sRGB)) ?? bitmap
    self.key = key
    self.textures = textures
    if shown.dynamicRange == .high {
      (copy, format) = (nil, GDK_MEMORY_R16G16B16A16_FLOAT_PREMULTIPLIED)
      return
    }
    switch key.renderer == .cairo ? shown.alpha : .partial {
    case .full:
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bitmap.size.pixelCount * 3, alignment: 1)
      shown.copyColors(to: copy)
      (self.copy, format) = (copy, GDK_MEMORY_R8G8B8)
    case .fullOrNone: (copy, format) = (nil, GDK_MEMORY_R8G8B8A8)
    case .partial: (copy, format) = (nil, GDK_MEMORY_R8G8B8A8_PREMULTIPLIED)
    }
  }

  deinit {
    textures.remove(key, owner: ObjectIdentifier(self))
    copy?.deallocate()
  }

  /// Creates the texture, which retains this owner until it is freed.
  func makeTexture() -> OpaquePointer {
    let owner = Unmanaged.passRetained(self).toOpaque()
    // The pointer outlives the closure: a bitmap's pixels do not move while the owner retains it.
    let pixels = copy.map { UnsafeRawBufferPointer($0) } ?? shown.withUnsafeBytes { $0 }
    let bytes = g_bytes_new_with_free_func(
      pixels.baseAddress, gsize(pixels.count),
      { owner in
        owner.map { Unmanaged<PixelOwner>.fromOpaque($0).release() }
      }, owner)
    defer { g_bytes_unref(bytes) }
    let bytesPerRow = copy == nil ? shown.bytesPerRow : shown.size.width * 3
    let (width, height) = (gint(bitmap.size.width), gint(bitmap.size.height))
    let makeTexture = shown.colorSpace == .displayP3 ? gtk_shim_display_p3_texture : gdk_memory_texture_new
    guard let texture = makeTexture(width, height, format, bytes, gsize(bytesPerRow)) else {
      preconditionFailure("there is no texture of \(bitmap.size) pixels")
    }
    return texture
  }
}
#endif
