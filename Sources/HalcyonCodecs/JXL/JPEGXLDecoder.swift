#if JXL
public import HalcyonImaging
public import Foundation

/// Decodes JPEG XL through libjxl: bare or in its container, still and animated, alpha, every depth.
///
/// libjxl gives whole pictures, so a smaller size takes the memory of the full one for a moment. It converts colours to
/// sRGB itself where the picture is in its own colour space (`XYB`); light beyond white is cut.
public struct JPEGXLDecoder: AnimatedImageDecoder {
  private let renderer = JPEGXLRenderer()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// JPEG XL alone.
  public let formats: Set<ImageFormat> = [.jpegXL]

  /// Reads the header; of an animated image all bytes, since only they tell how many pictures there are.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    do {
      return try bytes.withUnsafeBytes { try JPEGXLHeader($0).info }
    } catch ImageDecodingError.truncated where !isComplete {
      return nil
    }
  }

  /// Decodes a whole file at the wanted size: the first picture where it is animated.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let header = try JPEGXLHeader(buffer)
      let plan = try DecodingPlan(info: header.info, options: options)
      if options.isCancelled() { throw ImageDecodingError.cancelled }
      let reader = try JPEGXLReader(buffer)
      guard let frame = try reader.next() else {
        throw ImageDecodingError.corrupt(.jpegXL, reason: "it has no picture")
      }
      return try renderer.image(frame.bitmap, of: reader, plan: plan, isCancelled: options.isCancelled)
    }
  }

  /// Opens an animated image; libjxl composes its pictures.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let lasting = FileBytes(bytes)
    let header = try JPEGXLHeader(lasting.buffer)
    let plan = try DecodingPlan(info: header.info, options: options)
    return try JPEGXLFrameReader(
      lasting, header: header, plan: plan, renderer: renderer, isCancelled: options.isCancelled)
  }
}

/// The pictures of an animated JPEG XL file, one after the other.
private final class JPEGXLFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let bytes: FileBytes
  private var reader: JPEGXLReader
  private let plan: DecodingPlan
  private let renderer: JPEGXLRenderer
  private let isCancelled: @Sendable () -> Bool

  init(
    _ bytes: FileBytes, header: JPEGXLHeader, plan: DecodingPlan, renderer: JPEGXLRenderer,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws {
    self.bytes = bytes
    self.plan = plan
    self.renderer = renderer
    self.isCancelled = isCancelled
    reader = try JPEGXLReader(bytes.buffer)
    animation = AnimationInfo(frameCount: header.info.frameCount, loopCount: header.loopCount)
  }

  func nextFrame() throws -> AnimationFrame? {
    if isCancelled() { throw ImageDecodingError.cancelled }
    guard let frame = try reader.next() else { return nil }
    let image = try renderer.image(frame.bitmap, of: reader, plan: plan, isCancelled: isCancelled)
    return AnimationFrame(bitmap: image.bitmap, duration: FrameTime.shown(seconds: frame.duration))
  }

  func rewind() throws { reader = try JPEGXLReader(bytes.buffer) }
}

/// Makes upright bitmaps in sRGB from whole stored pictures. Copies share what they know; safe from any thread.
private struct JPEGXLRenderer {
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

extension Bitmap {
  /// The planned part of a whole stored picture at the planned size.
  ///
  /// - Parameter coding: What the numbers of the pixels mean.
  fileprivate func resampled(
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
