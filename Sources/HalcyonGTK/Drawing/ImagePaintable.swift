#if GTK
import HalcyonViews
import CGTK

/// What a widget shows: a picture, the one that it fades out of, and an indicator over both.
///
/// GTK draws it through an object of ``PaintableType``, which holds it.
@MainActor
final class ImagePaintable {
  /// How pictures of other shapes than the room are brought into it.
  var mode: ImageDisplayMode = .fit
  /// Told at every drawing. Nothing may be changed in there.
  var onDraw: (@MainActor () -> Void)?
  /// What is shown, or what is being faded to.
  private(set) var layer: Layer?
  /// What is faded out; `nil` when no fade goes on.
  private(set) var outgoing: Layer?
  /// From 0, ``outgoing`` alone, to 1, ``layer`` alone.
  private(set) var fadeProgress = 1.0
  /// What lies over the picture.
  var indicator: Spinner? {
    didSet { if indicator != oldValue { invalidate() } }
  }

  /// Whoever uses the canvas has a reference to the object, which lives as long.
  private var object: OpaquePointer?

  /// Creates a canvas and the object through which GTK draws it.
  static func make() -> (canvas: ImagePaintable, object: ObjectReference) {
    let canvas = ImagePaintable()
    let object = PaintableType.makeObject(drawnBy: canvas)
    canvas.object = object
    return (canvas, ObjectReference(adopting: object))
  }

  /// The size of the picture by itself.
  var size: DrawingSize { layer?.size ?? .none }

  /// Shows a picture instead of what is there.
  func show(_ layer: Layer?) {
    let isResized = layer?.size != self.layer?.size
    (self.layer, outgoing, fadeProgress) = (layer, nil, 1)
    if isResized { gdk_paintable_invalidate_size(object) }
    invalidate()
  }

  /// Shows a picture through which the present one is seen until ``fade(to:)`` has reached 1.
  func beginFade(to layer: Layer?) {
    let outgoing = self.layer
    show(layer)
    (self.outgoing, fadeProgress) = (outgoing, 0)
  }

  /// Moves the fade.
  func fade(to progress: Double) {
    fadeProgress = min(1, max(0, progress))
    if fadeProgress == 1 { outgoing = nil }
    invalidate()
  }

  /// Has it drawn anew.
  func invalidate() { gdk_paintable_invalidate_contents(object) }

  func draw(_ snapshot: OpaquePointer, _ room: DrawingSize) {
    onDraw?()
    guard !room.isEmpty else { return }
    drawPictures(snapshot, room)
    indicator?.draw(snapshot, room)
  }

  /// What is drawn now, as something that stays so.
  func makeStillPaintable() -> OpaquePointer? {
    guard let snapshot = gtk_snapshot_new() else { return nil }
    drawPictures(snapshot, size)
    var size = graphene_size_t(width: Float(size.width), height: Float(size.height))
    return gtk_snapshot_free_to_paintable(snapshot, &size)
  }

  private func drawPictures(_ snapshot: OpaquePointer, _ room: DrawingSize) {
    var bounds = room.rectangle
    gtk_snapshot_push_clip(snapshot, &bounds)
    defer { gtk_snapshot_pop(snapshot) }
    guard fadeProgress < 1 else {
      layer?.draw(snapshot, room, mode: mode)
      return
    }
    gtk_snapshot_push_cross_fade(snapshot, fadeProgress)
    outgoing?.draw(snapshot, room, mode: mode)
    gtk_snapshot_pop(snapshot)
    layer?.draw(snapshot, room, mode: mode)
    gtk_snapshot_pop(snapshot)
  }
}
#endif
