import HalcyonImaging

extension ResizeGeometry {
  /// Source pixels for each pixel of the result, on the axis that has fewer.
  var reduction: Double {
    min(window.width / Double(outputSize.width), window.height / Double(outputSize.height))
  }

  /// The same geometry for a source whose coordinates are `factor` times as large.
  func scaled(by factor: Double) -> ResizeGeometry {
    let window = PixelRectangle(
      x: window.x * factor, y: window.y * factor, width: window.width * factor, height: window.height * factor)
    return ResizeGeometry(window: window, outputSize: outputSize)
  }
}
