#if AVIF || HEIF
import HalcyonImaging

/// Makes upright bitmaps in sRGB from decoded planes. Copies share what they know; safe from any thread.
struct PlanarRenderer {
  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// The part of the picture that is shown, at the planned size.
  func image(
    _ samples: SamplePlanes, header: HEIFImageHeader, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> DecodedImage {
    guard samples.size == header.codedSize else {
      throw ImageDecodingError.corrupt(
        plan.info.format, reason: "its picture has \(samples.size) pixels, not the \(header.codedSize) of its header")
    }
    var geometry = plan.geometry
    geometry.window.x += Double(header.aperture.x)
    geometry.window.y += Double(header.aperture.y)
    let mapping = colors.mapping(header.description(of: samples.color), inRGBA: header.isGrey)
    let resampler = Resampler(format: plan.info.format, geometry: geometry, graphs: graphs)
    return try plan.image(colors: mapping) {
      try resampler.bitmap(isOpaque: !samples.hasAlpha) { SamplePlaneSource(samples, isCancelled: isCancelled) }
    }
  }
}

extension HEIFImageHeader {
  /// What the colours mean; `nil` where they are those of sRGB, or become so on their way.
  fileprivate func description(of color: ColorCoding) -> ColorDescription? {
    if let colorProfile { return .profile(colorProfile) }
    guard !color.isHighDynamicRange, let primaries = Chromaticities(cicp: color.primaries),
      let curve = TransferCurve(cicp: color.transfer), primaries != .bt709 || curve != .sRGB
    else { return nil }
    return .display(primaries, curve)
  }
}
#endif
