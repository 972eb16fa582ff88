package import HalcyonImaging
package import Foundation

/// Decodes GIF 87a and 89a, still and animated.
///
/// ``decode(_:options:)`` gives the first frame of an animation. Frames are resampled row by row, except interlaced
/// ones, which take one byte per pixel. In Swift, which checks every bound; giflib keeps a record of every frame.
package struct GIFDecoder: AnimatedImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share a cache for resampling, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.gif]
  package var decodesRegions: Bool { true }

  /// Reads the blocks up to the first frame, and counts the frames in the bytes.
  ///
  /// For an incomplete file, the frame count is the number of frames that have started.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try bytes.withUnsafeBytes { try GIFHeader.parse(Bytes($0), isComplete: isComplete)?.info }
  }

  /// Decodes the first frame at the target size, or its rows before the damage if the options allow a partial image.
  ///
  /// Without that option a truncated file is an error, also if it ends in a later frame, unless it has all pixels.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let header = try header(Bytes(buffer))
      return try options.image {
        if header.isCut { try checkLastFrame(of: header, in: buffer, limits: options.limits) }
        return try draw(header, of: buffer, options: options)
      } part: {
        try draw(header, of: buffer, isPartial: true, options: options)
      }
    }
  }

  /// Throws unless a truncated file has all pixels of its last frame.
  private func checkLastFrame(
    of header: GIFHeader, in buffer: UnsafeRawBufferPointer, limits: ImageLimits
  ) throws(ImageDecodingError) {
    guard let frame = header.cutFrame else { throw .truncated(.gif) }
    if frame.area.size.pixelCount > 0 { try limits.check(frame.area.size, format: .gif) }
    var lzw = try GIFLZWDecoder(buffer, at: frame.dataOffset)
    var row = [UInt8](repeating: 0, count: frame.area.size.width)
    for _ in 0..<frame.area.size.height {
      let count = try row.withUnsafeMutableBufferPointer { (row) throws(ImageDecodingError) in
        guard let start = row.baseAddress else { return 0 }
        return try lzw.read(into: start, count: row.count)
      }
      guard count == row.count else { throw .truncated(.gif) }
    }
  }

  /// Reads all blocks, for the durations of the frames. A file that ends early has the durations of its whole frames.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
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
  ///
  /// - Parameter isPartial: Whether rows may be missing.
  private func draw(
    _ header: GIFHeader, of buffer: UnsafeRawBufferPointer, isPartial: Bool = false, options: DecodingOptions
  ) throws -> DecodedImage {
    let plan = try DecodingPlan(info: header.info, options: options)
    let isOpaque = header.isFirstFrameOpaque && !isPartial
    return try plan.image(truncation: isPartial ? .found : nil) {
      try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
        let frame = header.firstFrame
        let rows = try GIFRowSource.rows(buffer, frame: frame, palette: header.palette, isPartial: isPartial)
        if frame.area == PixelArea(size: header.canvas) { return rows }
        return PatchRowSource(rows, at: frame.area, on: header.canvas)
      }
    }
  }

  /// Opens an animation at its first frame.
  ///
  /// Takes a copy of the bytes and memory for one canvas.
  package func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let file = FileBytes(bytes)
    // A truncated file gives its complete frames, then an error, or a part of the next frame.
    guard let header = try GIFHeader.parse(Bytes(file.buffer), isComplete: false) else {
      throw ImageDecodingError.truncated(.gif)
    }
    var info = header.info
    // A part of the first frame leaves the rest of the canvas transparent.
    info.hasAlpha = info.hasAlpha || options.allowsPartialImage
    let plan = try DecodingPlan(info: info, options: options)
    return ComposedFrameReader(
      try GIFFrameSource(file, limits: options.limits, isPartial: options.allowsPartialImage),
      animation: AnimationInfo(frameCount: header.frameCount, loopCount: header.loopCount), plan: plan,
      graphs: graphs, isCancelled: options.isCancelled)
  }

  private func header(_ bytes: Bytes) throws(ImageDecodingError) -> GIFHeader {
    guard let header = try GIFHeader.parse(bytes, isComplete: true) else { throw .truncated(.gif) }
    return header
  }
}

extension GIFRowSource {
  /// The rows of a frame; if it may be partial, the rows before its damage, then transparent ones.
  fileprivate static func rows(
    _ bytes: UnsafeRawBufferPointer, frame: GIFFrame, palette: Range<Int>?, isPartial: Bool
  ) throws(ImageDecodingError) -> any RowSource {
    guard isPartial else { return try GIFRowSource(bytes, frame: frame, palette: palette) }
    return try PartialRowSource(size: frame.area.size) { () throws(ImageDecodingError) in
      try GIFRowSource(bytes, frame: frame, palette: palette, acceptsDamage: true)
    }
  }
}

extension GIFDecoder: ProgressiveImageDecoder {
  /// The first frame of an animation, once the second has begun; a still image has no preview.
  package func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard stage == 0 else { return nil }
    return try prefix.withUnsafeBytes { buffer in
      guard let header = try GIFHeader.parse(Bytes(buffer), isComplete: false), header.frameCount > 1 else {
        return nil
      }
      var options = options
      options.allowsPartialImage = true
      let image = try options.image {
        try draw(header, of: buffer, options: options)
      } part: {
        try draw(header, of: buffer, isPartial: true, options: options)
      }
      return ImagePreview(
        image: DecodedImage(bitmap: image.bitmap, info: image.info, isPartial: true), stage: 1)
    }
  }
}

/// The frames of a GIF file in order.
private final class GIFFrameSource: FrameSource {
  private let file: FileBytes
  private let limits: ImageLimits
  private let isPartial: Bool
  private var blocks: GIFBlocks

  init(_ file: FileBytes, limits: ImageLimits, isPartial: Bool) throws(ImageDecodingError) {
    self.file = file
    self.isPartial = isPartial
    self.limits = limits
    blocks = try Self.blocks(of: file)
  }

  func next() throws(ImageDecodingError) -> AnimationPatch? {
    switch blocks.step() {
    case .end: return nil
    case .moreBytesNeeded:
      // The frame before has been drawn, so all its pixels were there.
      if isPartial || blocks.frameAtData != nil || blocks.endsInComment { return nil }
      throw .truncated(.gif)
    case .frame(let frame):
      // Only the canvas has been checked; later frames can be larger.
      if frame.area.size.pixelCount > 0 { try limits.check(frame.area.size, format: .gif) }
      return AnimationPatch(
        area: frame.area, disposal: frame.disposal, isBlended: true, duration: .milliseconds(frame.hundredths * 10)
      ) { [file, isPartial, palette = blocks.palette] in
        try GIFRowSource.rows(file.buffer, frame: frame, palette: palette, isPartial: isPartial)
      }
    }
  }

  func rewind() throws(ImageDecodingError) { blocks = try Self.blocks(of: file) }

  private static func blocks(of file: FileBytes) throws(ImageDecodingError) -> GIFBlocks {
    guard let blocks = try GIFBlocks(Bytes(file.buffer)) else { throw .truncated(.gif) }
    return blocks
  }
}
