import HalcyonSupport

/// Mirrors an image.
struct FlipProcessor: ImageProcessor {
  let direction: FlipDirection

  var identifier: String { ProcessorIdentity("flip").adding(text: direction.rawValue).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    return try bitmap.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      for row in 0..<height {
        try CancellationFlag.checkCurrent(atRow: row)
        switch direction {
        case .horizontal:
          for column in 0..<width { result[row * width + column] = source[row * width + width - 1 - column] }
        case .vertical:
          for column in 0..<width { result[row * width + column] = source[(height - 1 - row) * width + column] }
        }
      }
    }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Mirrors the image.
  public static func flip(_ direction: FlipDirection) -> Self {
    BuiltInProcessor(FlipProcessor(direction: direction))
  }
}
