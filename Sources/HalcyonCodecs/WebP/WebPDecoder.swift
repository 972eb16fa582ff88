public import HalcyonImaging
public import Foundation

/// Decodes WebP through libwebp: lossy, lossless, with alpha, animated.
///
/// ``decode(_:options:)`` gives the first frame of an animation. A smaller size of a lossy still image without alpha is
/// resampled while its rows are decoded; that takes the memory of the result and some rows. Other still images are scaled
/// by libwebp if the size is much smaller, and then resampled; that takes at most four times the memory of the result.
public struct WebPDecoder: AnimatedImageDecoder {
  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  public init() {}

  /// WebP only.
  public let formats: Set<ImageFormat> = [.webp]

  /// Reads the chunks up to the image or first frame, or up to the Exif chunk at the end if the file announces one.
  ///
  /// For an incomplete file, the frame count is the number of frames that have started.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try bytes.withUnsafeBytes { try WebPHeaderParser.parse($0, isComplete: isComplete)?.info }
  }

  /// Decodes a complete file at the target size; of an animation, its first frame.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { try draw(header($0), of: $0, options: options) }
  }

  private func draw(
    _ header: WebPHeader, of buffer: UnsafeRawBufferPointer, truncation: PartialImagePolicy? = nil,
    options: DecodingOptions
  ) throws -> DecodedImage {
    let plan = try DecodingPlan(info: header.info, options: options)
    return try plan.image(colors: mapping(header, buffer), truncation: truncation) {
      if let first = header.firstFrame {
        return try frame(first.range, at: first.area, of: buffer, header: header, plan: plan, options: options)
      }
      return try still(buffer, plan: plan, header: header, options: options)
    }
  }

  /// Opens an animation at its first frame.
  ///
  /// Takes a copy of the bytes and memory for three canvases, which together are within the limit of pixels.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let file = FileBytes(bytes)
    let header = try header(file.buffer)
    let plan = try DecodingPlan(info: header.info, options: options)
    guard header.isAnimated else {
      return StillFrameReader { try decode(bytes, options: options).bitmap }
    }
    guard header.canvas.pixelCount <= options.limits.pixelCount / 3 else {
      throw ImageDecodingError.tooManyPixels(header.canvas, limit: options.limits.pixelCount / 3)
    }
    return try WebPFrameReader(
      file, header: header, plan: plan, colors: mapping(header, file.buffer), graphs: graphs,
      isCancelled: options.isCancelled)
  }

  private func mapping(_ header: WebPHeader, _ bytes: UnsafeRawBufferPointer) -> ColorMapping {
    let profile = header.profile?.clamped(to: 0..<bytes.count)
    return colors.mapping(profile.map { .profile(Data(bytes[$0])) }, inRGBA: false)
  }

  private func header(_ bytes: UnsafeRawBufferPointer) throws(ImageDecodingError) -> WebPHeader {
    guard let header = try WebPHeaderParser.parse(bytes, isComplete: true) else { throw .truncated(.webp) }
    return header
  }

  private func still(
    _ bytes: UnsafeRawBufferPointer, plan: DecodingPlan, header: WebPHeader, options: DecodingOptions
  ) throws -> Bitmap {
    let (isOpaque, isCancelled) = (!header.hasAlpha, options.isCancelled)
    if plan.isWholeImage {
      return try WebPReader.bitmap(
        bytes, size: header.canvas, isScaled: false, isOpaque: isOpaque, isCancelled: isCancelled)
    }
    if !header.isLossless, isOpaque {
      return try resampled(bytes, plan: plan, isCancelled: isCancelled)
    }
    let scale = WebPScale(plan)
    let bitmap = try WebPReader.bitmap(
      bytes, size: scale.size, isScaled: scale.isScaled, skipsLoopFilter: plan.skipsLoopFilter, isOpaque: isOpaque,
      isCancelled: isCancelled)
    return try Resampler(format: .webp, geometry: scale.geometry, graphs: graphs).bitmap(isOpaque: isOpaque) {
      RowPlaneSource(BitmapRowSource(bitmap), isCancelled: isCancelled)
    }
  }

  /// A lossy image without alpha, resampled in the planes that it is coded in.
  private func resampled(
    _ bytes: UnsafeRawBufferPointer, plan: DecodingPlan, isCancelled: @escaping () -> Bool
  ) throws -> Bitmap {
    let factor = BoxShrink.factor(for: plan.geometry)
    let geometry = plan.geometry.scaled(by: 1 / Double(factor))
    return try Resampler(format: .webp, geometry: geometry, graphs: graphs).bitmap(isOpaque: true) {
      let planes = try WebPPlaneSource(
        bytes, size: plan.info.storedSize, skipsLoopFilter: plan.skipsLoopFilter, isCancelled: isCancelled)
      return factor == 1 ? planes : try PlaneBoxShrink(planes, factor: factor)
    }
  }

  private func frame(
    _ range: Range<Int>, at area: PixelArea, of bytes: UnsafeRawBufferPointer, header: WebPHeader, plan: DecodingPlan,
    options: DecodingOptions
  ) throws -> Bitmap {
    guard range.upperBound <= bytes.count else { throw ImageDecodingError.truncated(.webp) }
    try options.limits.check(area.size, format: .webp)
    let isOpaque = !header.hasAlpha && area.covers(header.canvas)
    let bitmap = try WebPReader.bitmap(
      UnsafeRawBufferPointer(rebasing: bytes[range]), size: area.size, isScaled: false, isOpaque: isOpaque,
      isCancelled: options.isCancelled)
    return try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
      PatchRowSource(BitmapRowSource(bitmap), at: area, on: header.canvas)
    }
  }
}

extension WebPDecoder: ProgressiveImageDecoder {
  /// The first frame of an animation, once the second has begun; a still image has no preview.
  public func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard stage == 0 else { return nil }
    return try prefix.withUnsafeBytes { buffer in
      guard let header = try WebPHeaderParser.parse(buffer, isComplete: false), header.frameCount > 1 else {
        return nil
      }
      return ImagePreview(image: try draw(header, of: buffer, truncation: .found, options: options), stage: 1)
    }
  }
}

extension DecodingPlan {
  /// From a reduction to a third on, blocks of four samples are too small for their edges to be seen.
  fileprivate var skipsLoopFilter: Bool { geometry.reduction >= 3 }
}

/// The size at which libwebp decodes an image, and the geometry for resampling it afterwards.
///
/// libwebp scales by averaging while decoding, which is cheap but not sharp. The decoded size therefore has at least
/// two pixels per output pixel, for the Lanczos filter.
private struct WebPScale {
  /// The smallest reduction by libwebp that saves time.
  private static let minimumReduction = 1.5

  let size: PixelSize
  let geometry: ResizeGeometry
  let isScaled: Bool

  init(_ plan: DecodingPlan) {
    let whole = plan.info.storedSize
    let reduction = plan.geometry.reduction / 2
    guard reduction >= Self.minimumReduction else {
      (size, geometry, isScaled) = (whole, plan.geometry, false)
      return
    }
    let size = PixelSize(
      width: Int((Double(whole.width) / reduction).rounded(.up)),
      height: Int((Double(whole.height) / reduction).rounded(.up)))
    let across = Double(size.width) / Double(whole.width)
    let down = Double(size.height) / Double(whole.height)
    let window = plan.geometry.window
    self.size = size
    geometry = ResizeGeometry(
      window: PixelRectangle(
        x: window.x * across, y: window.y * down, width: window.width * across, height: window.height * down),
      outputSize: plan.geometry.outputSize)
    isScaled = true
  }
}
