#if JXL && !IMAGEIO
package import HalcyonImaging
package import Foundation

/// Decodes JPEG XL through libjxl: bare codestreams and containers, still and animated, alpha, every bit depth.
///
/// libjxl decodes whole frames, so a smaller target size temporarily takes the memory of the full size, and cancellation
/// takes effect after the frame. XYB images are converted to sRGB by libjxl; high dynamic range is tone-mapped while it is
/// decoded.
package struct JPEGXLDecoder: AnimatedImageDecoder {
  private let renderer = JPEGXLRenderer()

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.jpegXL]

  /// Reads the header; of an animated image all bytes, as the header does not state the frame count.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    do {
      return try bytes.withUnsafeBytes { try JPEGXLHeader($0).info }
    } catch ImageDecodingError.truncated where !isComplete {
      return nil
    }
  }

  /// Reads the header; Exif and XMP are not read.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
    let header = try bytes.withUnsafeBytes { try JPEGXLHeader($0) }
    return ImageMetadata(
      info: header.info, hasWideGamut: header.isWide, transferFunction: header.highDynamicRange?.transfer.name)
  }

  /// Decodes a complete file at the target size; of an animation, its first frame.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let header = try JPEGXLHeader(buffer)
      let plan = try DecodingPlan(info: header.info, isWide: header.isWide, options: options)
      if options.isCancelled() { throw ImageDecodingError.cancelled }
      let reader = try JPEGXLReader(buffer, colors: renderer.colors, plan: plan)
      guard let frame = try reader.next() else {
        throw ImageDecodingError.corrupt(.jpegXL, reason: "it has no image")
      }
      return try renderer.image(frame.bitmap, of: reader, plan: plan, isCancelled: options.isCancelled)
    }
  }

  /// Opens an animation at its first frame; libjxl composes the frames.
  package func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let file = FileBytes(bytes)
    let header = try JPEGXLHeader(file.buffer)
    let plan = try DecodingPlan(info: header.info, isWide: header.isWide, options: options)
    return try JPEGXLFrameReader(
      file, header: header, plan: plan, renderer: renderer, isCancelled: options.isCancelled)
  }
}

/// The frames of a JPEG XL file.
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
    reader = try JPEGXLReader(bytes.buffer, colors: renderer.colors, plan: plan)
    animation = AnimationInfo(frameCount: header.info.frameCount, loopCount: header.loopCount)
  }

  func nextFrame() throws -> AnimationFrame? {
    if isCancelled() { throw ImageDecodingError.cancelled }
    guard let frame = try reader.next() else { return nil }
    let image = try renderer.image(frame.bitmap, of: reader, plan: plan, isCancelled: isCancelled)
    return AnimationFrame(bitmap: image.bitmap, duration: FrameDuration.displayed(seconds: frame.duration))
  }

  func rewind() throws { reader = try JPEGXLReader(bytes.buffer, colors: renderer.colors, plan: plan) }
}

/// Converts decoded frames to upright bitmaps. Copies share their caches; safe from any thread.
private struct JPEGXLRenderer {
  let colors = ColorTransformCache()
  private let graphs = ResampleGraphCache()

  /// The frame, cropped and resampled to the plan's geometry.
  func image(
    _ bitmap: Bitmap, of reader: JPEGXLReader, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> DecodedImage {
    try plan.image(colors: reader.colorMapping) {
      try bitmap.resampled(plan, graphs: graphs, isCancelled: isCancelled)
    }
  }
}

extension Bitmap {
  /// The bitmap of a stored image, cropped and resampled to the plan's geometry.
  fileprivate func resampled(
    _ plan: DecodingPlan, graphs: ResampleGraphCache, isCancelled: @escaping () -> Bool
  ) throws -> Bitmap {
    if plan.isWholeImage { return self }
    if dynamicRange == .high {
      return try plan.bitmap(isOpaque: isOpaque, dynamicRange: .high, graphs: graphs, isCancelled: isCancelled) {
        BitmapRowSource(self)
      }
    }
    let factor = BoxShrink.factor(reduction: plan.geometry.reduction)
    let geometry = plan.geometry.scaled(by: 1 / Double(factor))
    return try Resampler(format: plan.info.format, geometry: geometry, graphs: graphs).bitmap(isOpaque: isOpaque) {
      let rows = BitmapRowSource(self)
      let shrunk: any RowSource =
        factor == 1 ? rows : BoxShrink(rows, across: factor, down: factor, isCancelled: isCancelled)
      return RowPlaneSource(shrunk, isCancelled: isCancelled)
    }
  }
}
#endif
