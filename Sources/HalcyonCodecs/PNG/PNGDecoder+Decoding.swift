#if !IMAGEIO
import HalcyonImaging

extension PNGDecoder {
  /// The image, and the number of complete Adam7 passes if it is interlaced.
  func draw(
    _ buffer: UnsafeRawBufferPointer, _ header: PNGHeader, plan: DecodingPlan, reading: PNGReading,
    options: DecodingOptions
  ) throws -> (image: DecodedImage, passCount: Int) {
    let range = header.color.highDynamicRange.map(plan.mapped)
    let mapping =
      range.map { ColorMapping(colorSpace: $0.target) }
      ?? colors.mapping(header.color.description(in: buffer), inRGBA: header.isGrey, to: plan.colorSpace)
    let (isOpaque, dynamicRange) = (!header.hasAlpha && reading != .partial, range?.targetRange ?? .standard)
    var passCount = 0
    let image = try plan.image(colors: mapping, truncation: reading == .partial ? .found : nil) {
      guard header.isInterlaced else {
        return try plan.bitmap(
          isOpaque: isOpaque, dynamicRange: dynamicRange, graphs: graphs, isCancelled: options.isCancelled
        ) {
          guard reading == .partial else {
            return try PNGRowSource(buffer, header: header, range, isWhole: reading == .whole)
          }
          return try PartialRowSource(size: header.size, dynamicRange: dynamicRange) { () throws(ImageDecodingError) in
            try PNGRowSource(buffer, header: header, range, isWhole: false)
          }
        }
      }
      let interlaced = PNGInterlacedImage(
        bytes: buffer, header: header, range: range, reading: reading, isCancelled: options.isCancelled)
      let whole = try interlaced.draw()
      passCount = whole.passCount
      if plan.isWholeImage { return whole.bitmap }
      return try plan.bitmap(
        isOpaque: isOpaque, dynamicRange: dynamicRange, graphs: graphs, isCancelled: options.isCancelled
      ) {
        BitmapRowSource(whole.bitmap)
      }
    }
    return (image, passCount)
  }
}
#endif
