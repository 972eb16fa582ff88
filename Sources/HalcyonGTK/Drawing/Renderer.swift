#if canImport(CHalcyonGTK)
import HalcyonImaging
import CHalcyonGTK

/// The renderer of a window's textures.
package enum Renderer: Hashable, Sendable {
  /// OpenGL or Vulkan, which take the pixels of a bitmap as they are.
  case graphics
  /// Cairo, for which GTK converts a texture whenever it is drawn.
  case cairo

  /// The renderer of a widget's window; ``graphics`` for a widget that has not been realized.
  @MainActor
  package init(of widget: UnsafeMutablePointer<GtkWidget>) {
    let renderer = gtk_widget_get_native(widget).flatMap { gtk_native_get_renderer($0) }
    self = renderer?.isInstance(of: gsk_cairo_renderer_get_type()) == true ? .cairo : .graphics
  }
}

extension Bitmap {
  /// The alpha of all pixels, as far as the format of a texture depends on it.
  enum Alpha {
    /// Every pixel is opaque.
    case full
    /// Pixels are opaque or fully transparent: premultiplied colours are the same as straight ones.
    case fullOrNone
    /// Some pixels are translucent.
    case partial
  }

  /// Reads all pixels unless the bitmap ``isOpaque``.
  var alpha: Alpha {
    if isOpaque { return .full }
    return withUnsafeBytes { bytes in
      // No branches, so that the compiler vectorizes the loop. Only an alpha of 0 or 255, plus 1, has none of these bits.
      var (common, partial) = (UInt32.max, UInt32(0))
      for pixel in bytes.bindMemory(to: UInt32.self) {
        let alpha = UInt32(littleEndian: pixel) >> 24
        common &= alpha
        partial |= (alpha &+ 1) & 0xFE
      }
      return common == 255 ? .full : partial == 0 ? .fullOrNone : .partial
    }
  }

  /// Copies red, green and blue of all pixels to `copy`, which has three bytes for each.
  func copyColors(to copy: UnsafeMutableRawBufferPointer) {
    withUnsafeBytes { pixels in
      let (source, target) = (pixels.bindMemory(to: UInt8.self), copy.bindMemory(to: UInt8.self))
      for index in 0..<min(source.count / 4, target.count / 3) {
        target[index * 3] = source[index * 4]
        target[index * 3 + 1] = source[index * 4 + 1]
        target[index * 3 + 2] = source[index * 4 + 2]
      }
    }
  }
}
#endif
