import HalcyonSupport

/// Mirrors an image.
public struct FlipProcessor: ImageProcessor, Hashable {
  /// The direction in which an image is mirrored.
  public enum Direction: String, Hashable, Sendable {
    /// Exchanges left and right.
    case horizontal
    /// Exchanges top and bottom.
    case vertical
  }

  private let direction: Direction

  /// Creates a processor.
  public init(_ direction: Direction) { self.direction = direction }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("flip").adding(text: direction.rawValue).text }

  /// The mirrored image.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
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

extension ImageProcessor where Self == FlipProcessor {
  /// Mirrors the image.
  public static func flip(_ direction: FlipProcessor.Direction) -> Self { FlipProcessor(direction) }
}
