public import HalcyonImaging
public import Foundation

/// Decodes GIF 87a and 89a, still and animated.
///
/// ``decode(_:options:)`` gives the first frame of an animation. Frames are resampled row by row, except interlaced
/// ones, which take one byte per pixel. In Swift, which checks every bound; giflib keeps a record of every frame.
public struct GIFDecoder: AnimatedImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share a cache for resampling, a few megabytes at most.
  public init() {}

  /// GIF only.
  public let formats: Set<ImageFormat> = [.gif]

  /// Reads the blocks up to the first frame, and counts the frames in the bytes.
  ///
  /// For an incomplete file, the frame count is the number of frames that have started.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try bytes.withUnsafeBytes { try GIFHeader.parse(Bytes($0), isComplete: isComplete)?.info }
  }

  /// Decodes the first frame of a complete file at the target size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { try draw(header(Bytes($0)), of: $0, options: options) }
  }

  /// Reads all blocks, for the durations of the frames. Files that end early have those of the frames that are there.
  public func metadata(of bytes: Data) throws -> ImageMetadata {
    var metadata = ImageMetadata(info: try wholeInfo(of: bytes))
    guard metadata.info.frameCount > 1 else { return metadata }
    try bytes.withUnsafeBytes { buffer in
      guard var blocks = try GIFBlocks(Bytes(buffer)) else { return }
      var duration = Duration.zero
      while case .frame(let frame) = blocks.step() {
        duration += FrameDuration.displayed(.milliseconds(frame.hundredths * 10))
      }
      metadata.duration = duration
    }
    return metadata
  }

  /// The first frame.
  private func draw(
    _ header: GIFHeader, of buffer: UnsafeRawBufferPointer, truncation: PartialImagePolicy? = nil,
    options: DecodingOptions
  ) throws -> DecodedImage {
    let plan = try DecodingPlan(info: header.info, options: options)
    return try plan.image(truncation: truncation) {
      try plan.bitmap(isOpaque: header.isFirstFrameOpaque, graphs: graphs, isCancelled: options.isCancelled) {
        let frame = header.firstFrame
        let rows = try GIFRowSource(buffer, frame: frame, palette: header.palette)
        if frame.area == PixelArea(x: 0, y: 0, size: header.canvas) { return rows }
        return PatchRowSource(rows, at: frame.area, on: header.canvas)
      }
    }
  }

  /// Opens an animation at its first frame.
  ///
  /// Takes a copy of the bytes and memory for one canvas.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let file = FileBytes(bytes)
    // A truncated file gives its complete frames, then an error.
    guard let header = try GIFHeader.parse(Bytes(file.buffer), isComplete: false) else {
      throw ImageDecodingError.truncated(.gif)
    }
    let plan = try DecodingPlan(info: header.info, options: options)
    return ComposedFrameReader(
      try GIFFrameSource(file, limits: options.limits),
      animation: AnimationInfo(frameCount: header.frameCount, loopCount: header.loopCount), plan: plan,
      graphs: graphs, isCancelled: options.isCancelled)
  }

  private func header(_ bytes: Bytes) throws(ImageDecodingError) -> GIFHeader {
    guard let header = try GIFHeader.parse(bytes, isComplete: true) else { throw .truncated(.gif) }
    return header
  }
}

extension GIFDecoder: ProgressiveImageDecoder {
  /// The first frame of an animation, once the second has begun; a still image has no preview.
  public func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard stage == 0 else { return nil }
    return try prefix.withUnsafeBytes { buffer in
      guard let header = try GIFHeader.parse(Bytes(buffer), isComplete: false), header.frameCount > 1 else {
        return nil
      }
      return ImagePreview(image: try draw(header, of: buffer, truncation: .found, options: options), stage: 1)
    }
  }
}

/// The frames of a GIF file in order.
private final class GIFFrameSource: FrameSource {
  private let file: FileBytes
  private let limits: ImageLimits
  private var blocks: GIFBlocks

  init(_ file: FileBytes, limits: ImageLimits) throws(ImageDecodingError) {
    self.file = file
    self.limits = limits
    blocks = try Self.blocks(of: file)
  }

  func next() throws(ImageDecodingError) -> AnimationPatch? {
    switch blocks.step() {
    case .end: return nil
    case .moreBytesNeeded: throw .truncated(.gif)
    case .frame(let frame):
      // Only the canvas has been checked; later frames can be larger.
      if frame.area.size.pixelCount > 0 { try limits.check(frame.area.size, format: .gif) }
      return AnimationPatch(
        area: frame.area, disposal: frame.disposal, isBlended: true, duration: .milliseconds(frame.hundredths * 10)
      ) { [file, palette = blocks.palette] in
        try GIFRowSource(file.buffer, frame: frame, palette: palette)
      }
    }
  }

  func rewind() throws(ImageDecodingError) { blocks = try Self.blocks(of: file) }

  private static func blocks(of file: FileBytes) throws(ImageDecodingError) -> GIFBlocks {
    guard let blocks = try GIFBlocks(Bytes(file.buffer)) else { throw .truncated(.gif) }
    return blocks
  }
}
