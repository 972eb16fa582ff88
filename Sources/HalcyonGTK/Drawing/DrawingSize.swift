#if GTK
import HalcyonViews
import CGTK

/// A width and a height in points, as GTK draws in them.
struct DrawingSize: Hashable, Sendable {
  var width: Double
  var height: Double

  static let none = DrawingSize(width: 0, height: 0)

  var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Zero where there is no height.
  var aspectRatio: Double { isEmpty ? 0 : width / height }

  /// Where something of this size lies in a room, in the middle.
  func placed(in room: DrawingSize, mode: ImageDisplayMode) -> graphene_rect_t {
    guard !isEmpty, mode != .stretch else { return room.rectangle }
    let scales = (room.width / width, room.height / height)
    return scaled(by: mode == .fit ? min(scales.0, scales.1) : max(scales.0, scales.1), in: room)
  }

  /// The same, at its own size, or smaller where the room is too small.
  func centered(in room: DrawingSize) -> graphene_rect_t {
    isEmpty ? room.rectangle : scaled(by: min(1, room.width / width, room.height / height), in: room)
  }

  private func scaled(by scale: Double, in room: DrawingSize) -> graphene_rect_t {
    let (scaledWidth, scaledHeight) = (width * scale, height * scale)
    return graphene_rect_t(
      origin: graphene_point_t(x: Float((room.width - scaledWidth) / 2), y: Float((room.height - scaledHeight) / 2)),
      size: graphene_size_t(width: Float(scaledWidth), height: Float(scaledHeight)))
  }

  var rectangle: graphene_rect_t {
    graphene_rect_t(
      origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: Float(width), height: Float(height)))
  }
}
#endif
