/// Replaces all colours of an image by one and keeps its alpha, for example for symbols.
public struct TintProcessor: ImageProcessor, Hashable {
  private let color: PixelColor

  /// Creates a processor; the alpha of the colour is multiplied with that of the image.
  public init(_ color: PixelColor) { self.color = color }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("tint").adding(color).text }

  /// The tinted image.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let ink = color.premultiplied
    return try bitmap.mapPixels(isOpaque: bitmap.isOpaque && color.alpha == 255) { ink.scaled(by: $0.alpha) }
  }
}

extension ImageProcessor where Self == TintProcessor {
  /// Replaces all colours by one and keeps the image's alpha.
  public static func tint(_ color: PixelColor) -> Self { TintProcessor(color) }
}
