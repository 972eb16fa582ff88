public import Foundation
public import HalcyonCore

/// Decodes PNG through libspng: every colour type and depth, still; of an animated file the picture that stands for it.
///
/// Colours are multiplied by alpha before anything is resampled. Rows go into the resampler while they are decoded,
/// save interlaced ones, which are complete only at the end.
public struct PNGDecoder: ImageDecoder {
  let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// PNG alone.
  public var formats: Set<ImageFormat> { [.png] }

  /// Reads the chunks up to the pixels, skipping those it does not need by their length.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try parse(bytes)
    if header == nil, isComplete { throw ImageDecodingError.truncated(.png) }
    return header?.info
  }

  /// Decodes a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.png) }
    let plan = try DecodingPlan(info: header.info, options: options)
    return try bytes.withUnsafeBytes { buffer in
      guard PNGHeaderParser.reachesEnd(Bytes(buffer)) else { throw ImageDecodingError.truncated(.png) }
      let mapping = colors.mapping(header.color.description(in: buffer), inRGBA: header.isGrey)
      return try plan.image(colors: mapping) {
        let interlaced = PNGInterlacedImage(bytes: buffer, header: header, isCancelled: options.isCancelled)
        let whole = header.isInterlaced ? try interlaced.bitmap() : nil
        func rows() throws(ImageDecodingError) -> any RowSource {
          if let whole { return BitmapRowSource(whole) }
          return try PNGRowSource(buffer, header: header)
        }
        if plan.isWholeImage { return try whole ?? rows().bitmap(isCancelled: options.isCancelled) }
        return try resampled(plan, isOpaque: !header.hasAlpha, isCancelled: options.isCancelled, rows)
      }
    }
  }

  private func resampled(
    _ plan: DecodingPlan, isOpaque: Bool, isCancelled: @escaping () -> Bool,
    _ rows: () throws(ImageDecodingError) -> any RowSource
  ) throws -> Bitmap {
    let factor = BoxShrink.factor(for: plan.geometry)
    let resampler = Resampler(format: .png, geometry: plan.geometry.scaled(by: 1 / Double(factor)), graphs: graphs)
    return try resampler.bitmap(isOpaque: isOpaque) {
      let source = try rows()
      let shrunk = factor == 1 ? source : BoxShrink(source, factor: factor, isCancelled: isCancelled)
      return RowPlaneSource(shrunk, isCancelled: isCancelled)
    }
  }

  private func parse(_ bytes: Data) throws -> PNGHeader? {
    try bytes.withUnsafeBytes { try PNGHeaderParser.parse(Bytes($0)) }
  }
}
