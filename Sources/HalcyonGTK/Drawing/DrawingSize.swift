#if canImport(CHalcyonGTK)
import HalcyonViews
import CHalcyonGTK

/// A width and a height in GTK's logical pixels (points).
struct DrawingSize: Hashable, Sendable {
  var width: Double
  var height: Double

  static let zero = DrawingSize(width: 0, height: 0)

  var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Width divided by height, or 0 for an empty size.
  var aspectRatio: Double { isEmpty ? 0 : width / height }

  /// The rectangle of an image of this size in `bounds`, centred and scaled by `mode`.
  func rectangle(in bounds: DrawingSize, mode: ImageDisplayMode) -> graphene_rect_t {
    guard !isEmpty, mode != .stretch else { return bounds.rectangle }
    let scales = (bounds.width / width, bounds.height / height)
    return centered(in: bounds, scale: mode == .fit ? min(scales.0, scales.1) : max(scales.0, scales.1))
  }

  /// The centred rectangle of an image of this size, scaled down to fit `bounds` if needed, and never enlarged.
  func rectangleWithoutEnlarging(in bounds: DrawingSize) -> graphene_rect_t {
    isEmpty ? bounds.rectangle : centered(in: bounds, scale: min(1, bounds.width / width, bounds.height / height))
  }

  private func centered(in bounds: DrawingSize, scale: Double) -> graphene_rect_t {
    let (scaledWidth, scaledHeight) = (width * scale, height * scale)
    return graphene_rect_t(
      origin: graphene_point_t(
        x: Float((bounds.width - scaledWidth) / 2), y: Float((bounds.height - scaledHeight) / 2)),
      size: graphene_size_t(width: Float(scaledWidth), height: Float(scaledHeight)))
  }

  /// A rectangle of this size at the origin.
  var rectangle: graphene_rect_t {
    graphene_rect_t(
      origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: Float(width), height: Float(height)))
  }
}
#endif
