/// Mirrors an image.
struct FlipProcessor: GeometryProcessor {
  let direction: FlipDirection

  var identifier: String { ProcessorIdentity("flip").adding(text: direction.rawValue).text }

  func geometry(of bitmap: Bitmap) -> BitmapGeometry? {
    BitmapGeometry(direction == .horizontal ? .upMirrored : .downMirrored, of: bitmap.size)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Mirrors the image.
  public static func flip(_ direction: FlipDirection) -> Self {
    BuiltInProcessor(FlipProcessor(direction: direction))
  }
}
