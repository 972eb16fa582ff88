public import HalcyonImaging
public import Foundation

/// Decodes GIF 87a and 89a, still and animated.
///
/// Of an animation ``decode(_:options:)`` gives the first picture. Pictures go into the resampler row by row, save
/// interlaced ones, which need a byte for each pixel.
public struct GIFDecoder: AnimatedImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// GIF alone.
  public let formats: Set<ImageFormat> = [.gif]

  /// Reads the blocks up to the first picture, and counts the pictures that the bytes hold.
  ///
  /// Of a file that is not complete the frame count is the number of pictures that have begun.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try bytes.withUnsafeBytes { try GIFHeader.parse(Bytes($0), isComplete: isComplete)?.info }
  }

  /// Decodes the first picture of a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let header = try header(Bytes(buffer))
      let plan = try DecodingPlan(info: header.info, options: options)
      return try plan.image {
        try plan.bitmap(isOpaque: header.isFirstOpaque, graphs: graphs, isCancelled: options.isCancelled) {
          let rows = try GIFRowSource(buffer, picture: header.first, palette: header.palette)
          if header.first.area == PixelArea(x: 0, y: 0, size: header.canvas) { return rows }
          return PatchRowSource(rows, at: header.first.area, on: header.canvas)
        }
      }
    }
  }

  /// Opens an animation at its first picture. Takes a copy of the bytes and one canvas.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let file = FileBytes(bytes)
    // A file that is cut short shows the pictures that are there, and then an error.
    guard let header = try GIFHeader.parse(Bytes(file.buffer), isComplete: false) else {
      throw ImageDecodingError.truncated(.gif)
    }
    let plan = try DecodingPlan(info: header.info, options: options)
    return ComposedFrameReader(
      try GIFFrameSource(file, limits: options.limits),
      animation: AnimationInfo(frameCount: header.pictureCount, loopCount: header.loopCount), plan: plan,
      graphs: graphs, isCancelled: options.isCancelled)
  }

  private func header(_ bytes: Bytes) throws(ImageDecodingError) -> GIFHeader {
    guard let header = try GIFHeader.parse(bytes, isComplete: true) else { throw .truncated(.gif) }
    return header
  }
}

/// The pictures of a GIF file in order.
private final class GIFFrameSource: PictureSource {
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
    case .picture(let picture):
      // Later pictures may be larger than the canvas, which has been checked.
      if picture.area.size.pixelCount > 0 { try limits.check(picture.area.size, format: .gif) }
      return AnimationPatch(
        area: picture.area, disposal: picture.disposal, isBlended: true,
        duration: .milliseconds(picture.hundredths * 10)
      ) { [file, palette = blocks.palette] in
        try GIFRowSource(file.buffer, picture: picture, palette: palette)
      }
    }
  }

  func rewind() throws(ImageDecodingError) { blocks = try Self.blocks(of: file) }

  private static func blocks(of file: FileBytes) throws(ImageDecodingError) -> GIFBlocks {
    guard let blocks = try GIFBlocks(Bytes(file.buffer)) else { throw .truncated(.gif) }
    return blocks
  }
}
