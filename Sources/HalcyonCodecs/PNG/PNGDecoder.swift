public import HalcyonImaging
public import Foundation

/// Decodes PNG through libspng: every colour type and depth, still; of an animated file the picture that stands for it.
///
/// Colours are multiplied by alpha before anything is resampled. Rows go into the resampler while they are decoded,
/// save interlaced ones, which are complete only at the end.
public struct PNGDecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// PNG alone.
  public let formats: Set<ImageFormat> = [.png]

  /// Reads the chunks up to the pixels, skipping those it does not need by their length.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try parse(bytes)
    if header == nil, isComplete { throw ImageDecodingError.truncated(.png) }
    return header?.info
  }

  /// Decodes a whole file at the wanted size, or what is there of it where the options take a part.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.png) }
    let plan = try DecodingPlan(info: header.info, options: options)
    let truncation = PartialImagePolicy(isAccepted: options.allowsPartialImage)
    return try bytes.withUnsafeBytes { buffer in
      guard let repaired = PNGTruncatedFile.repaired(buffer) else {
        return try draw(buffer, header, plan: plan, truncation: truncation, options: options).image
      }
      guard truncation.isAccepted else { throw ImageDecodingError.truncated(.png) }
      truncation.isFound = true
      return try repaired.withUnsafeBytes {
        try draw($0, header, plan: plan, truncation: truncation, options: options).image
      }
    }
  }

  /// The image, and how many passes it shows where it is interlaced.
  private func draw(
    _ buffer: UnsafeRawBufferPointer, _ header: PNGHeader, plan: DecodingPlan, truncation: PartialImagePolicy,
    options: DecodingOptions
  ) throws -> (image: DecodedImage, passCount: Int) {
    let mapping = colors.mapping(header.color.description(in: buffer), inRGBA: header.isGrey)
    let isOpaque = !header.hasAlpha && !truncation.isFound
    var passCount = 0
    let image = try plan.image(colors: mapping, truncation: truncation) {
      guard header.isInterlaced else {
        return try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
          try PNGRowSource(buffer, header: header, truncation: truncation)
        }
      }
      let interlaced = PNGInterlacedImage(
        bytes: buffer, header: header, truncation: truncation, isCancelled: options.isCancelled)
      let whole = try interlaced.draw()
      passCount = whole.passCount
      if plan.isWholeImage { return whole.bitmap }
      return try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
        BitmapRowSource(whole.bitmap)
      }
    }
    return (image, passCount)
  }

  private func parse(_ bytes: Data) throws -> PNGHeader? {
    try bytes.withUnsafeBytes { try PNGHeaderParser.parse(Bytes($0)) }
  }
}

extension PNGDecoder: ProgressiveImageDecoder {
  /// The passes of an interlaced image that are there; one without interlacing has no preview.
  public func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard stage < Adam7.passCount, let header = try parse(prefix), header.isInterlaced else { return nil }
    let plan = try DecodingPlan(info: header.info, options: options)
    let truncation = PartialImagePolicy(isAccepted: true)
    truncation.isFound = true
    return try prefix.withUnsafeBytes { buffer in
      let bytes = PNGTruncatedFile.repaired(buffer) ?? Array(buffer)
      let (image, passCount) = try bytes.withUnsafeBytes {
        try draw($0, header, plan: plan, truncation: truncation, options: options)
      }
      return passCount > stage ? ImagePreview(image: image, stage: passCount) : nil
    }
  }
}

extension PNGDecoder: AnimatedImageDecoder {
  /// Opens an animation at its first picture, which need not be the one that stands for it. Takes a copy of the bytes,
  /// one canvas and one picture.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    guard var info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.png) }
    _ = try DecodingPlan(info: info, options: options)
    let file = try APNGFile(FileBytes(bytes), canvas: info.storedSize)
    guard file.pictureCount > 0 else { return StillFrameReader { try decode(bytes, options: options).bitmap } }
    info.hasAlpha = info.hasAlpha || file.leavesHoles
    return ComposedFrameReader(
      APNGFrameSource(file, decoder: self, options: options),
      animation: AnimationInfo(frameCount: file.pictureCount, loopCount: file.loopCount),
      plan: try DecodingPlan(info: info, options: options), graphs: graphs, isCancelled: options.isCancelled)
  }
}
