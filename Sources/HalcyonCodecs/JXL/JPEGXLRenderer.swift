#if JXL
import HalcyonImaging

/// Makes upright bitmaps in sRGB from whole stored pictures. Copies share what they know; safe from any thread.
struct JPEGXLRenderer {
  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// The planned part of a picture at the planned size.
  func image(
    _ bitmap: Bitmap, of reader: JPEGXLReader, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> DecodedImage {
    var coding = SampleCoding()
    // zimg takes no light apart that is multiplied by alpha.
    coding.highDynamicRange = bitmap.isOpaque ? reader.highDynamicRange : nil
    let description = coding.highDynamicRange == nil ? reader.colorDescription : nil
    let mapping = colors.mapping(description, inRGBA: plan.info.colorModel == .grey)
    return try plan.image(colors: mapping) {
      try bitmap.resampled(plan, coding: coding, graphs: graphs, isCancelled: isCancelled)
    }
  }
}
#endif
