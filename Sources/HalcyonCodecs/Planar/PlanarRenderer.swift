#if (AVIF || HEIF) && !IMAGEIO
import HalcyonImaging

/// Converts decoded planes to upright bitmaps in sRGB. Copies share their caches; safe from any thread.
struct PlanarRenderer {
  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// The image inside the clean aperture, at the planned size.
  func image(
    _ samples: any TiledSamples, header: HEIFImageHeader, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> DecodedImage {
    guard samples.size == header.codedSize else {
      throw ImageDecodingError.corrupt(
        plan.info.format, reason: "it decodes to \(samples.size) pixels, but its header says \(header.codedSize)")
    }
    var geometry = plan.geometry
    geometry.window.x += Double(header.aperture.x)
    geometry.window.y += Double(header.aperture.y)
    let first = try samples.tiles(inRow: 0)[0]
    let mapping = colors.mapping(header.description(of: first.color), inRGBA: header.isGrey)
    let factor = first.coding.canBeAveraged ? BoxShrink.factor(reduction: geometry.reduction) : 1
    let resampler = Resampler(
      format: plan.info.format, geometry: geometry.scaled(by: 1 / Double(factor)), graphs: graphs)
    return try plan.image(colors: mapping) {
      try resampler.bitmap(isOpaque: !first.hasAlpha) {
        let planes = try SamplePlaneSource(
          samples, highDynamicRange: header.highDynamicRange(of: first.color), isCancelled: isCancelled)
        return factor == 1 ? planes : try PlaneBoxShrink(planes, factor: factor)
      }
    }
  }
}

extension SampleCoding {
  /// Whether ``PlaneBoxShrink`` is correct for the samples.
  fileprivate var canBeAveraged: Bool { depth == 8 && alpha == .none && highDynamicRange == nil }
}

extension HEIFImageHeader {
  /// The source colour space; `nil` for sRGB, and for high dynamic range, which is mapped while it is resampled.
  fileprivate func description(of color: ColorCoding) -> ColorDescription? {
    guard color.highDynamicRange == nil else { return nil }
    if let colorProfile { return .profile(colorProfile) }
    guard let primaries = Chromaticities(cicp: color.primaries),
      let curve = TransferCurve(cicp: color.transfer), primaries != .bt709 || curve != .sRGB
    else { return nil }
    return .display(primaries, curve)
  }
}
#endif
