/// Blends a colour over an image, clipped by its alpha: transparent pixels stay transparent.
public struct OverlayProcessor: ImageProcessor, Hashable {
  private let color: PixelColor
  private let blendMode: BlendMode

  /// Creates a processor.
  ///
  /// - Parameters:
  ///   - color: The colour; its alpha is the opacity of the overlay.
  ///   - blendMode: How the colours are blended. The image is blended as if it were opaque; its alpha is then restored.
  public init(_ color: PixelColor, blendMode: BlendMode = .normal) {
    self.color = color
    self.blendMode = blendMode
  }

  /// The name and all parameters.
  public var identifier: String {
    ProcessorIdentity("overlay").adding(color).adding(text: blendMode.rawValue).text
  }

  /// The image with the overlay.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let share = Float(color.alpha) / 255
    let tables = LookupTables(mixing: color) { backdrop, source in
      backdrop + (blendMode.blend(backdrop, source) - backdrop) * share
    }
    return try tables.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == OverlayProcessor {
  /// Blends a colour over the image, clipped by its alpha.
  public static func overlay(_ color: PixelColor, blendMode: BlendMode = .normal) -> Self {
    OverlayProcessor(color, blendMode: blendMode)
  }
}
