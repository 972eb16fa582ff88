#if canImport(CHalcyonGTK)
import HalcyonImaging
import HalcyonViews
import CHalcyonGTK

/// The contents of a `GdkPaintable`: an image, the one that it fades from, and a loading indicator over both.
///
/// GTK draws it through a GObject of ``PaintableType``, which retains it.
@MainActor
final class ImagePaintable {
  /// How the image is scaled into bounds of another aspect ratio.
  var mode: ImageDisplayMode = .fit
  /// The renderer for which the textures of an animation's frames are created.
  var renderer = Renderer.graphics
  /// The style of the widget, for the colours of the indicator; `nil` without a widget.
  var style: WidgetStyle?
  /// Called at each snapshot. It must not change the paintable.
  var onDraw: (@MainActor () -> Void)?
  /// The image that is shown or being faded in.
  private(set) var layer: Layer?
  /// The image that is being faded out, or `nil` when no fade is running.
  private(set) var outgoingLayer: Layer?
  /// The progress of the fade: 0 shows only ``outgoingLayer``, 1 only ``layer``.
  private(set) var fadeProgress = 1.0
  /// The loading indicator drawn over the image.
  var indicator: Spinner? {
    didSet { if indicator != oldValue { invalidate() } }
  }

  /// The bounds of the last drawing.
  private var lastBounds = DrawingSize.zero
  /// Unowned: users of the paintable hold a reference to the object, which therefore lives as long.
  private var object: OpaquePointer?

  /// Creates an empty paintable and its GObject.
  static func make() -> (paintable: ImagePaintable, object: ObjectReference) {
    let paintable = ImagePaintable()
    let object = PaintableType.makeObject(for: paintable)
    paintable.object = object
    return (paintable, ObjectReference(adopting: object))
  }

  /// The intrinsic size, whatever the image is; `nil` for the image's size.
  var fixedSize: DrawingSize?

  /// The intrinsic size in points: the image's size, zero without an image.
  var intrinsicSize: DrawingSize { fixedSize ?? layer?.size ?? .zero }

  /// Replaces the image, without a fade.
  func show(_ layer: Layer?) {
    let isResized = layer?.size != self.layer?.size
    (self.layer, outgoingLayer, fadeProgress) = (layer, nil, 1)
    if isResized { gdk_paintable_invalidate_size(object) }
    invalidate()
  }

  /// Replaces the frame of the animation that is shown.
  func showFrame(_ frame: Bitmap) {
    layer?.showFrame(frame)
    invalidate()
  }

  /// Replaces the image and starts a fade, which ``fade(to:)`` advances from 0 to 1.
  ///
  /// - Parameter outgoing: The layer that fades out, from ``frozenLayer()``.
  func beginFade(to layer: Layer?, from outgoing: Layer?) {
    show(layer)
    (outgoingLayer, fadeProgress) = (outgoing, 0)
  }

  /// The layer as it was drawn last; during a fade, the mixture of both images.
  func frozenLayer() -> Layer? {
    guard fadeProgress < 1, !lastBounds.isEmpty, let snapshot = gtk_snapshot_new() else { return layer }
    drawLayers(snapshot, lastBounds)
    return Self.paintable(freeing: snapshot, lastBounds).map { Layer(paintable: ObjectReference(adopting: $0)) }
  }

  /// Sets the progress of the fade, clamped to 0…1; 1 ends it.
  func fade(to progress: Double) {
    fadeProgress = min(1, max(0, progress))
    if fadeProgress == 1 { outgoingLayer = nil }
    invalidate()
  }

  /// Requests a redraw.
  func invalidate() { gdk_paintable_invalidate_contents(object) }

  func draw(_ snapshot: OpaquePointer, _ bounds: DrawingSize) {
    onDraw?()
    guard !bounds.isEmpty else { return }
    lastBounds = bounds
    // An indicator takes the place of an icon: over one, neither could be read.
    if indicator == nil || layer?.isIcon != true { drawLayers(snapshot, bounds) }
    indicator?.draw(snapshot, bounds, style.map { Spinner.Colors($0) } ?? Spinner.Colors())
  }

  /// An immutable paintable of the current image, at its intrinsic size and without the indicator.
  func makeCurrentImage() -> OpaquePointer? {
    guard let snapshot = gtk_snapshot_new() else { return nil }
    drawLayers(snapshot, intrinsicSize)
    return Self.paintable(freeing: snapshot, intrinsicSize)
      ?? gdk_paintable_new_empty(gint(intrinsicSize.width.rounded(.up)), gint(intrinsicSize.height.rounded(.up)))
  }

  /// An immutable paintable of what was drawn; `nil` if that is nothing, of which GTK makes an invalid one.
  private static func paintable(freeing snapshot: OpaquePointer, _ bounds: DrawingSize) -> OpaquePointer? {
    guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
    defer { gsk_render_node_unref(node) }
    guard let copy = gtk_snapshot_new() else { return nil }
    gtk_snapshot_append_node(copy, node)
    var size = graphene_size_t(width: Float(bounds.width), height: Float(bounds.height))
    return gtk_snapshot_free_to_paintable(copy, &size)
  }

  private func drawLayers(_ snapshot: OpaquePointer, _ bounds: DrawingSize) {
    var clip = bounds.rectangle
    gtk_snapshot_push_clip(snapshot, &clip)
    defer { gtk_snapshot_pop(snapshot) }
    guard fadeProgress < 1 else {
      layer?.draw(snapshot, bounds, mode: mode, drawnBy: renderer)
      return
    }
    gtk_snapshot_push_cross_fade(snapshot, fadeProgress)
    outgoingLayer?.draw(snapshot, bounds, mode: mode, drawnBy: renderer)
    gtk_snapshot_pop(snapshot)
    layer?.draw(snapshot, bounds, mode: mode, drawnBy: renderer)
    gtk_snapshot_pop(snapshot)
  }
}
#endif
