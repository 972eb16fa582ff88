#if AVIF || HEIF
import HalcyonCore

extension SamplePlanes {
  /// The part of the picture that is shown, at the planned size, in sRGB, not yet upright.
  func bitmap(
    _ plan: DecodingPlan, header: PictureHeader, graphs: ResampleGraphCache, isCancelled: @escaping () -> Bool
  ) throws -> Bitmap {
    guard size == header.codedSize else {
      throw ImageDecodingError.corrupt(
        plan.info.format, reason: "its picture has \(size) pixels, not the \(header.codedSize) of its header")
    }
    var geometry = plan.geometry
    geometry.window.x += Double(header.aperture.x)
    geometry.window.y += Double(header.aperture.y)
    let resampler = Resampler(format: plan.info.format, geometry: geometry, graphs: graphs)
    return try resampler.bitmap(isOpaque: !hasAlpha) { SamplePlaneSource(self, isCancelled: isCancelled) }
  }
}
#endif
