#if !IMAGEIO
import HalcyonImaging

extension PNGDecoder {
  /// The image, and the number of complete Adam7 passes if it is interlaced.
  func draw(
    _ buffer: UnsafeRawBufferPointer, _ header: PNGHeader, plan: DecodingPlan, truncation: PartialImagePolicy,
    options: DecodingOptions
  ) throws -> (image: DecodedImage, passCount: Int) {
    let mapping = colors.mapping(header.color.description(in: buffer), inRGBA: header.isGrey)
    let isOpaque = !header.hasAlpha && !truncation.isFound
    var passCount = 0
    let image = try plan.image(colors: mapping, truncation: truncation) {
      guard header.isInterlaced else {
        return try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
          try PNGRowSource(buffer, header: header, truncation: truncation)
        }
      }
      let interlaced = PNGInterlacedImage(
        bytes: buffer, header: header, truncation: truncation, isCancelled: options.isCancelled)
      let whole = try interlaced.draw()
      passCount = whole.passCount
      if plan.isWholeImage { return whole.bitmap }
      return try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
        BitmapRowSource(whole.bitmap)
      }
    }
    return (image, passCount)
  }
}
#endif
