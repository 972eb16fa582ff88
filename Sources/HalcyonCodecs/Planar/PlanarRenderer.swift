#if (AVIF || HEIF) && !IMAGEIO
import HalcyonImaging

/// Converts decoded planes to upright bitmaps. Copies share their caches; safe from any thread.
struct PlanarRenderer {
  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// The image inside the clean aperture, at the planned size.
  func image(
    _ samples: any TiledSamples, header: HEIFImageHeader, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> DecodedImage {
    guard samples.size == header.codedSize else {
      throw ImageDecodingError.wrongSize(plan.info.format, samples.size, stated: header.codedSize)
    }
    let first = try samples.tile(at: header.coded(plan.geometry).window)
    let range = header.highDynamicRange(of: first.color).map(plan.mapped)
    let mapping =
      range.map { ColorMapping(colorSpace: $0.target) }
      ?? colors.mapping(header.description(of: first.color), inRGBA: header.isGrey, to: plan.colorSpace)
    return try plan.image(colors: mapping) {
      try bitmap(samples, header: header, plan.geometry, plan.info.format, range, isCancelled: isCancelled)
    }
  }

  /// The samples inside the clean aperture at a geometry, without a conversion of colours.
  ///
  /// - Parameter range: The signal, if it is mapped from high dynamic range.
  func bitmap(
    _ samples: any TiledSamples, header: HEIFImageHeader, _ geometry: ResizeGeometry, _ format: ImageFormat,
    _ range: HighDynamicRange?, isCancelled: @escaping () -> Bool
  ) throws -> Bitmap {
    let geometry = header.coded(geometry)
    let first = try samples.tile(at: geometry.window)
    let factor = first.coding.canBeAveraged ? BoxShrink.factor(reduction: geometry.reduction) : 1
    // Two samples of luma for one of chroma.
    let unit = PixelSize(width: factor * 2, height: factor * 2)
    let (wide, crop) = geometry.widened(inside: samples.size)
    let (area, part) = wide.part(of: samples.size, unit: unit)
    let resampler = Resampler(format: format, geometry: part.scaled(by: 1 / Double(factor)), graphs: graphs)
    let bitmap = try resampler.bitmap(isOpaque: !first.hasAlpha, dynamicRange: range?.targetRange ?? .standard) {
      let planes = try SamplePlaneSource(samples, area, highDynamicRange: range, isCancelled: isCancelled)
      return factor == 1 ? planes : try PlaneBoxShrink(planes, factor: factor)
    }
    return try bitmap.with(BitmapGeometry(crop), isCancelled: isCancelled)
  }
}

extension HEIFImageHeader {
  /// The geometry of the image inside the clean aperture as one of the coded image.
  fileprivate func coded(_ geometry: ResizeGeometry) -> ResizeGeometry {
    var geometry = geometry
    geometry.window.x += Double(aperture.x)
    geometry.window.y += Double(aperture.y)
    return geometry
  }
}

extension SampleCoding {
  /// Whether ``PlaneBoxShrink`` is correct for the samples.
  fileprivate var canBeAveraged: Bool { depth == 8 && alpha == .none && highDynamicRange == nil }
}
#endif
