/// Lays a colour over an image, within its shape: what is transparent stays so.
public struct OverlayProcessor: ImageProcessor, Hashable {
  private let color: PixelColor
  private let blendMode: BlendMode

  /// Creates a processor.
  ///
  /// - Parameters:
  ///   - color: Its alpha says how much of the image it replaces.
  ///   - blendMode: How the colours become one; the image counts as opaque for that, and gets its shape back after.
  public init(_ color: PixelColor, blendMode: BlendMode = .normal) {
    self.color = color
    self.blendMode = blendMode
  }

  /// The name and all parameters.
  public var identifier: String {
    ProcessorIdentity("overlay").adding(color).adding(text: blendMode.rawValue).text
  }

  /// The coloured image.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let share = Float(color.alpha) / 255
    let tables = LookupTables(mixing: color) { backdrop, source in
      backdrop + (blendMode.blend(backdrop, source) - backdrop) * share
    }
    return try tables.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == OverlayProcessor {
  /// Lays a colour over the image, within its shape.
  public static func overlay(_ color: PixelColor, blendMode: BlendMode = .normal) -> Self {
    OverlayProcessor(color, blendMode: blendMode)
  }
}
