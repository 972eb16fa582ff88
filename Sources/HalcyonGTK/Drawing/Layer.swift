#if GTK
import CGTK
import HalcyonCore

/// One picture of a canvas.
@MainActor
struct Layer {
  private enum Picture {
    /// Anything that GTK draws.
    case still(ObjectReference)
    case animation(AnimationPlayer)
  }

  /// The size that it has by itself, in points.
  let size: Room
  private let picture: Picture

  /// An image, played where it is an animation.
  ///
  /// - Parameter scale: Device pixels a point.
  init(_ image: DecodedImage, scale: Double) {
    size = Room(width: Double(image.size.width) / scale, height: Double(image.size.height) / scale)
    picture =
      AnimationPlayer.shared(for: image).map { .animation($0) }
      ?? .still(ObjectReference(adopting: image.makeTexture()))
  }

  /// Anything that GTK draws.
  init(paintable: ObjectReference) {
    size = Room(
      width: Double(gdk_paintable_get_intrinsic_width(paintable.pointer)),
      height: Double(gdk_paintable_get_intrinsic_height(paintable.pointer)))
    picture = .still(paintable)
  }

  /// What plays it; `nil` for a still picture.
  var player: AnimationPlayer? {
    if case .animation(let player) = picture { return player }
    return nil
  }

  func draw(_ snapshot: OpaquePointer, _ room: Room, mode: ImageDisplayMode) {
    let place = size.placed(in: room, mode: mode)
    var origin = place.origin
    gtk_snapshot_save(snapshot)
    gtk_snapshot_translate(snapshot, &origin)
    gdk_paintable_snapshot(paintable, snapshot, Double(place.size.width), Double(place.size.height))
    gtk_snapshot_restore(snapshot)
  }

  private var paintable: OpaquePointer {
    switch picture {
    case .still(let paintable): paintable.pointer
    case .animation(let player): player.texture.pointer
    }
  }
}
#endif
