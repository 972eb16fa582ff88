#if (AVIF || HEIF) && !IMAGEIO
import HalcyonImaging
import Foundation

/// Converts decoded planes to upright bitmaps in sRGB. Copies share their caches; safe from any thread.
struct PlanarRenderer {
  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// The image inside the clean aperture, at the planned size.
  func image(
    _ samples: SamplePlanes, header: HEIFImageHeader, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> DecodedImage {
    guard samples.size == header.codedSize else {
      throw ImageDecodingError.corrupt(
        plan.info.format, reason: "it decodes to \(samples.size) pixels, but its header says \(header.codedSize)")
    }
    var geometry = plan.geometry
    geometry.window.x += Double(header.aperture.x)
    geometry.window.y += Double(header.aperture.y)
    let mapping = colors.mapping(header.description(of: samples.color), inRGBA: header.isGrey)
    let factor = samples.coding.canBeAveraged ? BoxShrink.factor(reduction: geometry.reduction) : 1
    let resampler = Resampler(
      format: plan.info.format, geometry: geometry.scaled(by: 1 / Double(factor)), graphs: graphs)
    return try plan.image(colors: mapping) {
      try resampler.bitmap(isOpaque: !samples.hasAlpha) {
        let planes = SamplePlaneSource(samples, isCancelled: isCancelled)
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
  /// The source colour space; `nil` for sRGB, and for high dynamic range, which resampling converts.
  fileprivate func description(of color: ColorCoding) -> ColorDescription? {
    if let colorProfile { return .profile(colorProfile) }
    guard !color.isHighDynamicRange, let primaries = Chromaticities(cicp: color.primaries),
      let curve = TransferCurve(cicp: color.transfer), primaries != .bt709 || curve != .sRGB
    else { return nil }
    return .display(primaries, curve)
  }
}

/// The rows of a decoded planar image, padded to a multiple of the subsampling.
private final class SamplePlaneSource: PlaneSource {
  private static let rowsBetweenChecks = 64

  let format: PlaneFormat
  let rowsPerRead: Int

  private let samples: SamplePlanes
  private let isCancelled: () -> Bool

  init(_ samples: SamplePlanes, isCancelled: @escaping () -> Bool) {
    self.samples = samples
    self.isCancelled = isCancelled
    let (shiftX, shiftY) = samples.planes.reduce((0, 0)) { (max($0.0, $1.shiftX), max($0.1, $1.shiftY)) }
    let size = PixelSize(
      width: samples.size.width.roundedUp(toMultipleOf: 1 << shiftX),
      height: samples.size.height.roundedUp(toMultipleOf: 1 << shiftY))
    rowsPerRead = 1 << shiftY
    var format = PlaneFormat(
      channels: samples.channels, size: size,
      rowByteCounts: samples.planes.map { (size.width >> $0.shiftX) * samples.coding.bytesPerSample })
    format.coding = samples.coding
    self.format = format
  }

  func readRows(at row: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if row % Self.rowsBetweenChecks == 0, isCancelled() { throw .cancelled }
    for (index, plane) in samples.planes.enumerated() {
      let first = row >> plane.shiftY
      for target in first..<first + (rowsPerRead >> plane.shiftY) {
        copy(row: target, of: plane, to: planes.row(target, ofPlane: index))
      }
    }
    return rowsPerRead
  }

  func finish() {}

  private func copy(row: Int, of plane: SamplePlanes.Plane, to target: UnsafeMutablePointer<UInt8>) {
    let bytesPerSample = samples.coding.bytesPerSample
    let height = (samples.size.height + (1 << plane.shiftY) - 1) >> plane.shiftY
    let width = (samples.size.width + (1 << plane.shiftX) - 1) >> plane.shiftX
    memcpy(target, plane.start + min(row, height - 1) * plane.bytesPerRow, width * bytesPerSample)
    for column in width..<max(width, format.size.width >> plane.shiftX) {
      memcpy(target + column * bytesPerSample, target + (width - 1) * bytesPerSample, bytesPerSample)
    }
  }
}

extension Int {
  fileprivate func roundedUp(toMultipleOf step: Int) -> Int { (self + step - 1) / step * step }
}
#endif
