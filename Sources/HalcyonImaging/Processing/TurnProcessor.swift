/// Turns an image by multiples of 90 degrees and mirrors it.
package struct TurnProcessor: GeometryProcessor {
  private let orientation: ImageOrientation

  package init(_ orientation: ImageOrientation) { self.orientation = orientation }

  package var identifier: String { ProcessorIdentity("turn").adding(orientation.rawValue).text }

  package func geometry(of bitmap: Bitmap) -> BitmapGeometry? {
    orientation == .up ? nil : BitmapGeometry(orientation, of: bitmap.size)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Mirrors the image.
  public static func flip(_ direction: FlipDirection) -> Self {
    BuiltInProcessor(TurnProcessor(direction == .horizontal ? .upMirrored : .downMirrored))
  }
}
