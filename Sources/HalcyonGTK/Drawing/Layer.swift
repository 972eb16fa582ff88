#if GTK
import HalcyonImaging
import HalcyonViews
import CGTK

/// One picture of a canvas.
@MainActor
struct Layer {
  private enum Picture {
    /// Anything that GTK draws.
    case still(ObjectReference)
    /// Something that is never enlarged, in a colour of the widget's where it has none of its own.
    case icon(ObjectReference, GdkRGBA)
    case animation(AnimationPlayer)
  }

  /// The size that it has by itself, in points.
  let size: DrawingSize
  private var picture: Picture

  /// An image, played where it is an animation.
  ///
  /// - Parameter scale: Device pixels a point.
  init(_ image: DecodedImage, scale: Double) {
    size = DrawingSize(width: Double(image.size.width) / scale, height: Double(image.size.height) / scale)
    picture =
      AnimationPlayer.shared(for: image).map { .animation($0) }
      ?? .still(ObjectReference(adopting: image.makeTexture()))
  }

  /// Anything that GTK draws.
  init(paintable: ObjectReference) {
    size = DrawingSize(
      width: Double(gdk_paintable_get_intrinsic_width(paintable.pointer)),
      height: Double(gdk_paintable_get_intrinsic_height(paintable.pointer)))
    picture = .still(paintable)
  }

  /// An icon of the theme.
  ///
  /// - Parameter color: That of symbolic icons.
  init(icon: ObjectReference, color: GdkRGBA) {
    self.init(paintable: icon)
    picture = .icon(icon, color)
  }

  /// What plays it; `nil` for a still picture.
  var player: AnimationPlayer? {
    if case .animation(let player) = picture { return player }
    return nil
  }

  func draw(_ snapshot: OpaquePointer, _ room: DrawingSize, mode: ImageDisplayMode) {
    let place = isIcon ? size.centered(in: room) : size.placed(in: room, mode: mode)
    var origin = place.origin
    gtk_snapshot_save(snapshot)
    defer { gtk_snapshot_restore(snapshot) }
    gtk_snapshot_translate(snapshot, &origin)
    let (width, height) = (Double(place.size.width), Double(place.size.height))
    switch picture {
    case .still(let paintable): gdk_paintable_snapshot(paintable.pointer, snapshot, width, height)
    case .animation(let player): gdk_paintable_snapshot(player.texture.pointer, snapshot, width, height)
    case .icon(let icon, var color):
      gtk_symbolic_paintable_snapshot_symbolic(icon.pointer, snapshot, width, height, &color, 1)
    }
  }

  private var isIcon: Bool {
    if case .icon = picture { return true }
    return false
  }
}
#endif
