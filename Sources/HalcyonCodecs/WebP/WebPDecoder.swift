package import HalcyonImaging
package import Foundation

/// Decodes WebP: lossy, lossless, with alpha, animated.
///
/// Through libwebp, and on Apple's systems through ImageIO. ``decode(_:options:)`` gives the first frame of an
/// animation. With libwebp, a smaller size of a lossy still image is resampled while its rows are decoded; that takes the
/// memory of the result and some rows, and with alpha up to eight bytes for each stored pixel. A lossless still image is
/// scaled by libwebp if the size is much smaller, and then resampled; that takes at most four times the memory of the
/// result.
package struct WebPDecoder: AnimatedImageDecoder {
  let graphs = ResampleGraphCache()
  #if !IMAGEIO
  let colors = ColorTransformCache()
  #endif

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.webp]
  package var decodesRegions: Bool { true }

  /// Reads the chunks up to the image or first frame, or up to the Exif chunk at the end if the file announces one.
  ///
  /// For an incomplete file, the frame count is the number of frames that have started; for one that is cut, of those that
  /// are whole, and at least 1.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try bytes.withUnsafeBytes {
      try WebPHeaderParser.parse($0, isComplete: isComplete, isPartial: isComplete)?.info
    }
  }

  /// Decodes a file at the target size, or its rows before the damage if the options allow a partial image; of an
  /// animation, its first frame.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      try options.image {
        // What is cut off after a region is not missed.
        try draw(header(buffer, isPartial: options.region != nil), of: buffer, options: options)
      } part: {
        try draw(header(buffer, isPartial: true), of: buffer, isPartial: true, options: options)
      }
    }
  }

  /// - Parameter isPartial: Whether rows, or frames after the first one, may be missing.
  private func draw(
    _ header: WebPHeader, of buffer: UnsafeRawBufferPointer, isPartial: Bool = false, options: DecodingOptions
  ) throws -> DecodedImage {
    let plan = try plan(header, in: buffer, options: options)
    return try plan.image(colors: mapping(header, buffer, to: plan.colorSpace), truncation: isPartial ? .found : nil) {
      if let first = header.firstFrame {
        return try frame(
          first.range, at: first.area, of: buffer, header: header, plan: plan, isPartial: isPartial, options: options)
      }
      return try isPartial
        ? damagedStill(buffer, plan: plan, header: header, options: options)
        : still(buffer, plan: plan, header: header, options: options)
    }
  }

  /// Opens an animation at its first frame.
  ///
  /// Takes a copy of the bytes and memory for one canvas and one frame.
  package func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let bytes = options.allowsPartialImage ? WebPHeaderParser.wholeFrames(of: bytes) : bytes
    let file = FileBytes(bytes)
    let header = try header(file.buffer, isPartial: options.allowsPartialImage)
    let plan = try plan(header, in: file.buffer, options: options)
    guard header.isAnimated else {
      return WholeFrameReader.still { try decode(bytes, options: options).bitmap }
    }
    let source = WebPFrameSource(file, count: header.frameCount) { frame in
      try options.limits.check(frame.area.size, format: .webp)
      return try frameBitmap(
        frame.chunks, of: file.buffer, header: header, size: frame.area.size, isOpaque: !header.hasAlpha,
        options: options)
    }
    return ComposedFrameReader(
      source,
      animation: AnimationInfo(
        frameCount: header.frameCount, loopCount: header.loopCount == 0 ? nil : header.loopCount),
      plan: plan, colors: mapping(header, file.buffer, to: plan.colorSpace), graphs: graphs,
      isCancelled: options.isCancelled)
  }

  private func plan(
    _ header: WebPHeader, in bytes: UnsafeRawBufferPointer, options: DecodingOptions
  ) throws -> DecodingPlan {
    let isWide = options.colorSpace == .source && header.description(in: bytes)?.isWide ?? false
    return try DecodingPlan(info: header.info, isWide: isWide, options: options)
  }

  private func header(
    _ bytes: UnsafeRawBufferPointer, isPartial: Bool = false
  ) throws(ImageDecodingError) -> WebPHeader {
    guard let header = try WebPHeaderParser.parse(bytes, isComplete: true, isPartial: isPartial) else {
      throw .truncated(.webp)
    }
    return header
  }

  private func frame(
    _ range: Range<Int>, at area: PixelArea, of bytes: UnsafeRawBufferPointer, header: WebPHeader, plan: DecodingPlan,
    isPartial: Bool, options: DecodingOptions
  ) throws -> Bitmap {
    guard isPartial || range.upperBound <= bytes.count else { throw ImageDecodingError.truncated(.webp) }
    try options.limits.check(area.size, format: .webp)
    let isOpaque = !header.hasAlpha && !isPartial
    let bitmap = try frameBitmap(
      range.clamped(to: 0..<bytes.count), of: bytes, header: header, size: area.size, isOpaque: isOpaque,
      isPartial: isPartial, options: options)
    return try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
      PatchRowSource(BitmapRowSource(bitmap), at: area, on: header.canvas)
    }
  }
}

extension WebPDecoder: ProgressiveImageDecoder {
  /// The first frame of an animation, once the second has begun; a still image has no preview.
  package func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard stage == 0 else { return nil }
    return try prefix.withUnsafeBytes { buffer in
      guard let header = try WebPHeaderParser.parse(buffer, isComplete: false), header.frameCount > 1 else {
        return nil
      }
      return ImagePreview(image: try draw(header, of: buffer, isPartial: true, options: options), stage: 1)
    }
  }
}
