/// Keeps the shape of an image and fills it with one colour, as for symbols.
public struct TintProcessor: ImageProcessor, Hashable {
  private let color: PixelColor

  /// Creates a processor that fills with a colour; the colour's alpha and the image's are multiplied.
  public init(_ color: PixelColor) { self.color = color }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("tint").adding(color).text }

  /// The filled shape.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let ink = color.premultiplied
    return try bitmap.mapPixels(isOpaque: bitmap.isOpaque && color.alpha == 255) { ink.scaled(by: $0.alpha) }
  }
}

extension ImageProcessor where Self == TintProcessor {
  /// Keeps the image's shape and fills it with a colour.
  public static func tint(_ color: PixelColor) -> Self { TintProcessor(color) }
}
