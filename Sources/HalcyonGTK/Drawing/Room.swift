#if GTK
import CGTK
import HalcyonCore

/// A width and a height in points, as GTK draws in them.
struct Room: Hashable, Sendable {
  var width: Double
  var height: Double

  static let none = Room(width: 0, height: 0)

  var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Zero where there is no height.
  var aspectRatio: Double { isEmpty ? 0 : width / height }

  /// Where something of this size lies in a room, in the middle.
  func placed(in room: Room, mode: ImageDisplayMode) -> graphene_rect_t {
    guard !isEmpty, mode != .stretch else { return room.rectangle }
    let scales = (room.width / width, room.height / height)
    let scale = mode == .fit ? min(scales.0, scales.1) : max(scales.0, scales.1)
    let (placedWidth, placedHeight) = (width * scale, height * scale)
    return graphene_rect_t(
      origin: graphene_point_t(x: Float((room.width - placedWidth) / 2), y: Float((room.height - placedHeight) / 2)),
      size: graphene_size_t(width: Float(placedWidth), height: Float(placedHeight)))
  }

  var rectangle: graphene_rect_t {
    graphene_rect_t(
      origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: Float(width), height: Float(height)))
  }
}
#endif
