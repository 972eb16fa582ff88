#if JXL
import HalcyonImaging

extension Bitmap {
  /// The planned part of a whole stored picture at the planned size.
  ///
  /// - Parameter coding: What the numbers of the pixels mean.
  func resampled(
    _ plan: DecodingPlan, coding: SampleCoding, graphs: ResampleGraphCache, isCancelled: @escaping () -> Bool
  ) throws -> Bitmap {
    if plan.isWholeImage, coding == SampleCoding() { return self }
    let factor = BoxShrink.factor(for: plan.geometry)
    let geometry = plan.geometry.scaled(by: 1 / Double(factor))
    return try Resampler(format: plan.info.format, geometry: geometry, graphs: graphs).bitmap(isOpaque: isOpaque) {
      let rows = BitmapRowSource(self)
      let shrunk: any RowSource = factor == 1 ? rows : BoxShrink(rows, factor: factor, isCancelled: isCancelled)
      return RowPlaneSource(shrunk, coding: coding, isCancelled: isCancelled)
    }
  }
}
#endif
