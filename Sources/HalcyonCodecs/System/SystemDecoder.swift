import HalcyonImaging
import Foundation

/// Decodes one image through the codecs of the operating system, to the size and crop of a plan.
///
/// The system decodes at a smaller size if it can, with at least two pixels per output pixel; Lanczos does the rest.
/// Files are parsed, limited, cropped and turned here, and frames of APNG and animated WebP are taken apart and composed, so
/// that the system only decodes still images, and sequences of AVIF and HEIC.
struct SystemDecoder {
  /// The smallest reduction by the system that saves time.
  private static let minimumReduction = 1.5

  let reader: any SystemImageReader
  let graphs: ResampleGraphCache
  let isCancelled: () -> Bool
  var implementation = LanczosImplementation.standard

  /// The stored image, cropped and resampled as planned, not yet rotated.
  ///
  /// - Parameters:
  ///   - file: A file with the image in `plan`, or a thumbnail of it.
  ///   - index: The number of the frame, if the file is an image sequence.
  ///   - storedSize: The size that the header of `file` states, if it is not the image of the plan.
  ///   - truncation: Whether a file that the system finds to be truncated gives a partial image.
  func bitmap(
    of file: Data, at index: Int? = nil, plan: DecodingPlan, storedSize: PixelSize? = nil,
    truncation: PartialImagePolicy = PartialImagePolicy(isAccepted: false)
  ) throws -> Bitmap {
    if isCancelled() { throw ImageDecodingError.cancelled }
    let size = storedSize ?? plan.info.storedSize
    let geometry = plan.geometry.scaled(from: plan.info.storedSize, to: size)
    let source = try decoded(file, at: index, plan: plan, size: size, geometry: geometry)
    if !source.isComplete {
      guard truncation.isAccepted else { throw ImageDecodingError.truncated(plan.info.format) }
      truncation.isFound = true
    }
    if isCancelled() { throw ImageDecodingError.cancelled }
    let bitmap = source.bitmap
    if bitmap.size == size, plan.isWholeImage, size == plan.info.storedSize { return bitmap }
    let resampler = RowResampler(
      format: plan.info.format, geometry: geometry.scaled(from: size, to: bitmap.size), graphs: graphs,
      implementation: implementation, isCancelled: isCancelled)
    return try resampler.bitmap(isOpaque: bitmap.isOpaque, dynamicRange: bitmap.dynamicRange) {
      BitmapRowSource(bitmap)
    }
  }

  /// The image at the stored size, or at a smaller one that is large enough.
  private func decoded(
    _ file: Data, at index: Int?, plan: DecodingPlan, size: PixelSize, geometry: ResizeGeometry
  ) throws -> SystemImage {
    let dynamicRange = plan.info.dynamicRange == .standard ? .standard : plan.dynamicRange
    func image(_ longestSide: Int?) throws -> SystemImage? {
      try reader.image(
        of: file, at: index, longestSide: longestSide, colorSpace: plan.colorSpace, dynamicRange: dynamicRange)
    }
    if let side = longestSide(size, geometry), let small = try image(side),
      isUsable(small.bitmap.size, of: size, geometry)
    {
      return small
    }
    guard let whole = try image(nil) else {
      throw reader.isTruncated(file)
        ? ImageDecodingError.truncated(plan.info.format)
        : .corrupt(plan.info.format, reason: "the system's codec cannot decode it")
    }
    guard whole.bitmap.size == size else {
      throw ImageDecodingError.wrongSize(plan.info.format, whole.bitmap.size, stated: size)
    }
    return whole
  }

  /// The longer side at which the image has two pixels per output pixel; `nil` if that saves no time.
  private func longestSide(_ size: PixelSize, _ geometry: ResizeGeometry) -> Int? {
    let reduction = geometry.reduction / 2
    guard reduction >= Self.minimumReduction else { return nil }
    return Int((Double(max(size.width, size.height)) / reduction).rounded(.up))
  }

  /// Whether a smaller image is the whole picture, with enough pixels: systems have returned embedded thumbnails with
  /// bars at their sides, and smaller ones than they were asked for.
  private func isUsable(_ small: PixelSize, of whole: PixelSize, _ geometry: ResizeGeometry) -> Bool {
    let scaled = geometry.scaled(from: whole, to: small)
    guard scaled.reduction >= 1 else { return false }
    let across = Double(small.width) / Double(whole.width)
    let down = Double(small.height) / Double(whole.height)
    // Each side may be rounded in either direction.
    return abs(across - down) <= 1 / Double(whole.width) + 1 / Double(whole.height)
  }
}
