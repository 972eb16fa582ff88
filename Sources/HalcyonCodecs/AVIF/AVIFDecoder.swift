#if AVIF
public import HalcyonImaging
public import Foundation

/// Decodes AVIF through libavif: still pictures and sequences, grids, alpha, 8 to 12 bits a channel.
///
/// The stored planes are filtered to the wanted size as they are, so colours are converted for the pixels of the result
/// only. Colours beyond sRGB are cut to the nearest that it has, light beyond white to white.
public struct AVIFDecoder: AnimatedImageDecoder {
  private let renderer = PlanarRenderer()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// AVIF alone.
  public let formats: Set<ImageFormat> = [.avif]

  /// Reads the boxes before the coded pictures.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try header(bytes, isComplete: isComplete)?.info(.avif)
  }

  /// Decodes a whole file at the wanted size: the first picture where it is animated.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let header = try wholeHeader(bytes)
    let plan = try DecodingPlan(info: header.info(.avif), options: options)
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    return try bytes.withUnsafeBytes { buffer in
      let reader = try AVIFReader(buffer, header: header, limits: options.limits)
      try reader.next()
      return try renderer.image(reader.samples(), header: header, plan: plan, isCancelled: options.isCancelled)
    }
  }

  /// Opens an image sequence; its pictures are whole, so none is composed.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let header = try wholeHeader(bytes)
    let plan = try DecodingPlan(info: header.info(.avif), options: options)
    return try AVIFFrameReader(
      FileBytes(bytes), header: header, plan: plan, renderer: renderer, options: options)
  }

  private func header(_ bytes: Data, isComplete: Bool) throws -> HEIFImageHeader? {
    try bytes.withUnsafeBytes {
      try HEIFImageHeaderParser.parse(Bytes($0), format: .avif, isComplete: isComplete, prefersSequence: true)
    }
  }

  private func wholeHeader(_ bytes: Data) throws -> HEIFImageHeader {
    guard let header = try header(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.avif) }
    let isWhole = try bytes.withUnsafeBytes { try MediaFile(Bytes($0), format: .avif).isWhole }
    guard isWhole else { throw ImageDecodingError.truncated(.avif) }
    return header
  }
}

/// The pictures of an AVIF sequence, one after the other.
private final class AVIFFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let bytes: FileBytes
  private let reader: AVIFReader
  private let header: HEIFImageHeader
  private let plan: DecodingPlan
  private let renderer: PlanarRenderer
  private let isCancelled: @Sendable () -> Bool

  init(
    _ bytes: FileBytes, header: HEIFImageHeader, plan: DecodingPlan, renderer: PlanarRenderer,
    options: DecodingOptions
  ) throws {
    self.bytes = bytes
    self.header = header
    self.plan = plan
    self.renderer = renderer
    isCancelled = options.isCancelled
    reader = try AVIFReader(bytes.buffer, header: header, limits: options.limits)
    animation = AnimationInfo(frameCount: max(1, reader.frameCount), loopCount: header.loopCount)
  }

  func nextFrame() throws -> AnimationFrame? {
    if isCancelled() { throw ImageDecodingError.cancelled }
    guard try reader.next() else { return nil }
    let image = try renderer.image(reader.samples(), header: header, plan: plan, isCancelled: isCancelled)
    return AnimationFrame(bitmap: image.bitmap, duration: FrameTime.shown(seconds: reader.frameSeconds))
  }

  func rewind() throws { try reader.rewind() }
}
#endif
