#if JXL && !IMAGEIO
package import HalcyonImaging
package import Foundation

/// Decodes JPEG XL through libjxl: bare codestreams and containers, still and animated, alpha, every bit depth.
///
/// libjxl decodes whole frames, so a smaller target size temporarily takes the memory of the full size, and cancellation
/// takes effect after the frame. XYB images are converted to sRGB by libjxl; high dynamic range is tone-mapped while it is
/// decoded.
package struct JPEGXLDecoder: AnimatedImageDecoder {
  private let colors = ColorTransformCache()
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.jpegXL]
  package var decodesRegions: Bool { true }

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
      let reader = try JPEGXLReader(buffer, colors: colors, plan: plan)
      guard let frame = try reader.next() else {
        throw ImageDecodingError.corrupt(.jpegXL, reason: "it has no image")
      }
      return try image(frame.bitmap, of: reader, plan: plan, isCancelled: options.isCancelled)
    }
  }

  /// Opens an animation at its first frame; libjxl composes the frames.
  package func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let file = FileBytes(bytes)
    let header = try JPEGXLHeader(file.buffer)
    let plan = try DecodingPlan(info: header.info, isWide: header.isWide, options: options)
    var reader = try JPEGXLReader(file.buffer, colors: colors, plan: plan)
    return WholeFrameReader(AnimationInfo(frameCount: header.info.frameCount, loopCount: header.loopCount)) {
      if options.isCancelled() { throw ImageDecodingError.cancelled }
      guard let frame = try reader.next() else { return nil }
      let image = try image(frame.bitmap, of: reader, plan: plan, isCancelled: options.isCancelled)
      return AnimationFrame(bitmap: image.bitmap, duration: FrameDuration.displayed(seconds: frame.duration))
    } rewind: {
      reader = try JPEGXLReader(file.buffer, colors: colors, plan: plan)
    }
  }

  /// The frame, upright, cropped and resampled to the plan's geometry.
  private func image(
    _ bitmap: Bitmap, of reader: JPEGXLReader, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> DecodedImage {
    try plan.image(colors: reader.colorMapping) {
      if plan.isWholeImage { return bitmap }
      return try plan.bitmap(
        isOpaque: bitmap.isOpaque, dynamicRange: bitmap.dynamicRange, graphs: graphs, isCancelled: isCancelled
      ) { BitmapRowSource(bitmap) }
    }
  }
}
#endif
