#if canImport(CHalcyonGTK)
import HalcyonImaging
import HalcyonViews
import CHalcyonGTK

/// An image, an animation or an icon, drawn by an ``ImagePaintable``.
@MainActor
struct Layer {
  private enum Content {
    case paintable(ObjectReference)
    /// A themed icon, which is never enlarged.
    case icon(ThemedIcon)
    /// A frame of an animation.
    case frame(Bitmap, FrameTexture)
  }

  /// The intrinsic size in points.
  let size: DrawingSize
  private var content: Content

  /// Creates a layer of an image.
  ///
  /// - Parameters:
  ///   - naturalSize: The size of the image in pixels if the view does not limit it. Default: `nil`, the size of `image`.
  ///   - scale: Device pixels per point.
  init(_ image: DecodedImage, naturalSize: PixelSize? = nil, scale: Double) {
    let pixels = naturalSize ?? image.size
    size = DrawingSize(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
    content =
      image.animation == nil
      ? .paintable(ObjectReference(adopting: image.makeTexture())) : .frame(image.bitmap, FrameTexture())
  }

  /// Creates a layer of any `GdkPaintable`.
  init(paintable: ObjectReference) {
    size = DrawingSize(
      width: Double(gdk_paintable_get_intrinsic_width(paintable.pointer)),
      height: Double(gdk_paintable_get_intrinsic_height(paintable.pointer)))
    content = .paintable(paintable)
  }

  /// Creates a layer of a custom view; `nil` unless that is a pointer to a `GdkPaintable`.
  init?(custom view: Any) {
    guard let pointer = view as? OpaquePointer, pointer.isInstance(of: gdk_paintable_get_type()) else { return nil }
    self.init(paintable: ObjectReference(pointer))
  }

  /// Creates a layer of an icon of the theme.
  init(icon: ThemedIcon) {
    (size, content) = (icon.size, .icon(icon))
  }

  /// Replaces the frame of an animation.
  mutating func showFrame(_ frame: Bitmap) {
    if case .frame(_, let texture) = content { content = .frame(frame, texture) }
  }

  /// - Parameter renderer: The renderer that draws the frames of an animation.
  func draw(_ snapshot: OpaquePointer, _ bounds: DrawingSize, mode: ImageDisplayMode, drawnBy renderer: Renderer) {
    let rectangle =
      isIcon ? size.rectangleWithoutEnlarging(in: bounds) : size.rectangle(in: bounds, mode: mode)
    var origin = rectangle.origin
    gtk_snapshot_save(snapshot)
    defer { gtk_snapshot_restore(snapshot) }
    gtk_snapshot_translate(snapshot, &origin)
    let (width, height) = (Double(rectangle.size.width), Double(rectangle.size.height))
    switch content {
    case .paintable(let paintable): gdk_paintable_snapshot(paintable.pointer, snapshot, width, height)
    case .frame(let bitmap, let frame):
      gdk_paintable_snapshot(frame.texture(of: bitmap, drawnBy: renderer), snapshot, width, height)
    case .icon(let icon): icon.draw(snapshot, width: width, height: height)
    }
  }

  var isIcon: Bool {
    if case .icon = content { return true }
    return false
  }
}

/// The texture of the frame that a view shows, retained until it shows another one.
@MainActor
final class FrameTexture {
  private var pixels: UnsafeRawPointer?
  private var reference: ObjectReference?

  func texture(of bitmap: Bitmap, drawnBy renderer: Renderer) -> OpaquePointer {
    // The texture retains the pixels, so no other frame has their address meanwhile.
    let address = bitmap.withUnsafeBytes { $0.baseAddress }
    if let reference, pixels == address { return reference.pointer }
    let reference = ObjectReference(adopting: SharedTextures.all.texture(for: bitmap, drawnBy: renderer))
    (self.reference, pixels) = (reference, address)
    return reference.pointer
  }
}
#endif
