/// Blends a colour over an image, clipped by its alpha.
struct OverlayProcessor: ImageProcessor {
  let color: PixelColor
  let blendMode: BlendMode

  var identifier: String {
    ProcessorIdentity("overlay").adding(color).adding(text: blendMode.rawValue).text
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let share = Float(color.alpha) / 255
    let tables = LookupTables(mixing: color.converted(to: bitmap.colorSpace)) { backdrop, source in
      backdrop + (blendMode.blend(backdrop, source) - backdrop) * share
    }
    return try tables.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Blends a colour over the image, clipped by its alpha: transparent pixels stay transparent.
  ///
  /// - Parameters:
  ///   - color: The colour; its alpha is the opacity of the overlay.
  ///   - blendMode: How the colours are blended. The image is blended as if it were opaque; its alpha is then restored.
  public static func overlay(_ color: PixelColor, blendMode: BlendMode = .normal) -> Self {
    BuiltInProcessor(OverlayProcessor(color: color, blendMode: blendMode))
  }
}
