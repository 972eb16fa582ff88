#if GTK

public import HalcyonImaging
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
#endif
