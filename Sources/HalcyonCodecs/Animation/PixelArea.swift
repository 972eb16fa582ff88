import HalcyonImaging

/// A part of a picture, in pixels of the canvas; it may lie outside of it.
struct PixelArea: Equatable {
  var x: Int
  var y: Int
  var size: PixelSize

  /// Whether every pixel of a canvas lies inside.
  func covers(_ canvas: PixelSize) -> Bool {
    x <= 0 && y <= 0 && x + size.width >= canvas.width && y + size.height >= canvas.height
  }
}
