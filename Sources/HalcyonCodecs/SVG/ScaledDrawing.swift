#if SVG
import HalcyonImaging

/// Where a drawing lies on the pixels of its result.
struct ScaledDrawing {
  let outputSize: PixelSize
  /// The whole drawing, in pixels of the result; parts may lie outside.
  let viewport: PixelRectangle

  /// - Parameters:
  ///   - size: The drawing's own.
  ///   - scale: How much larger it is drawn than that, before it is fitted into `target`.
  init(size: PixelSize, scale: Double, target: TargetSize) {
    let enlarged = PixelSize(
      width: max(size.width, Int((Double(size.width) * scale).rounded())),
      height: max(size.height, Int((Double(size.height) * scale).rounded())))
    let geometry = target.geometry(for: enlarged)
    let window = geometry.window
    let (x, y) = (Double(geometry.outputSize.width) / window.width, Double(geometry.outputSize.height) / window.height)
    outputSize = geometry.outputSize
    viewport = PixelRectangle(
      x: -window.x * x, y: -window.y * y, width: Double(enlarged.width) * x, height: Double(enlarged.height) * y)
  }
}

extension TargetSize {
  /// How much a drawing of some size has to grow to be as large as the target; 1 where it is large enough.
  func enlargement(of size: PixelSize) -> Double {
    switch self {
    case .fit(let width, let height) where min(width, height) < .max:
      max(1, min(Double(width) / Double(size.width), Double(height) / Double(size.height)))
    case .fill(let width, let height) where max(width, height) < .max:
      max(1, Double(width) / Double(size.width), Double(height) / Double(size.height))
    default: 1
    }
  }
}
#endif
