@_spi(Programs) package import HalcyonImaging
package import Foundation

/// Decodes PNG and animated PNG (APNG): every colour type and bit depth.
///
/// Through libspng, and on Apple's systems through ImageIO.
///
/// ``decode(_:options:)`` gives the default image of an animation, or its first frame if that image is not part of the
/// animation. Colours are premultiplied before resampling. Rows are resampled while they are decoded, except in
/// interlaced images, whose rows are complete only at the end.
package struct PNGDecoder: ImageDecoder {
  let graphs = ResampleGraphCache()
  #if !IMAGEIO
  let colors = ColorTransformCache()
  #endif

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.png]
  package var decodesRegions: Bool { true }

  /// Reads the chunks before the image data; chunks that are not needed are skipped by their length.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try parse(bytes)
    if header == nil, isComplete { throw ImageDecodingError.truncated(.png) }
    return header?.info
  }

  /// Decodes a file at the target size, or the rows before its damage or its end if the options allow a partial image.
  ///
  /// A file that lacks only its end has all pixels.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.png) }
    if header.hidesDefaultImage, let frame = try firstFrame(of: bytes, header, options: options) { return frame }
    return try decode(bytes, header, options: options)
  }

  /// Decodes the default image of a file with this header.
  func decode(_ bytes: Data, _ header: PNGHeader, options: DecodingOptions) throws -> DecodedImage {
    let plan = try plan(header, in: bytes, options: options)
    return try bytes.withUnsafeBytes { buffer in
      guard let repaired = PNGTruncatedFile.repaired(buffer) else {
        return try options.image {
          try draw(buffer, header, plan: plan, reading: .whole, options: options).image
        } part: {
          try draw(buffer, header, plan: plan, reading: .partial, options: options).image
        }
      }
      return try repaired.withUnsafeBytes { file in
        try options.image {
          if PNGTruncatedFile.lacksFrames(buffer, header) { throw ImageDecodingError.truncated(.png) }
          do {
            return try draw(file, header, plan: plan, reading: .withoutEnd, options: options).image
          } catch let error as ImageDecodingError where error.isDamage {
            throw ImageDecodingError.truncated(.png)
          }
        } part: {
          try draw(file, header, plan: plan, reading: .partial, options: options).image
        }
      }
    }
  }

  /// The first frame of an animation; `nil` if the file has none.
  private func firstFrame(of bytes: Data, _ header: PNGHeader, options: DecodingOptions) throws -> DecodedImage? {
    guard try composedFrames(of: bytes, options: options) != nil else { return nil }
    func image(isPartial: Bool) throws -> DecodedImage {
      var options = options
      options.allowsPartialImage = isPartial
      guard let (reader, info) = try composedFrames(of: bytes, options: options), let frame = try reader.nextFrame()
      else {
        throw ImageDecodingError.truncated(.png)
      }
      return DecodedImage(bitmap: frame.bitmap, info: info, isPartial: isPartial)
    }
    return try options.image {
      if bytes.withUnsafeBytes({ PNGTruncatedFile.lacksFrames($0, header) }) {
        throw ImageDecodingError.truncated(.png)
      }
      return try image(isPartial: false)
    } part: {
      try image(isPartial: true)
    }
  }

  fileprivate func plan(_ header: PNGHeader, in bytes: Data, options: DecodingOptions) throws -> DecodingPlan {
    let isWide = options.colorSpace == .source && bytes.withUnsafeBytes { header.color.isWide(in: $0) }
    return try DecodingPlan(info: header.info, isWide: isWide, options: options)
  }

  fileprivate func parse(_ bytes: Data) throws -> PNGHeader? {
    try bytes.withUnsafeBytes { try PNGHeaderParser.parse(Bytes($0)) }
  }
}

extension PNGDecoder: ProgressiveImageDecoder {
  /// A preview from the complete passes of an interlaced image, or the complete default image of an animation; other
  /// images have no preview.
  package func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard stage < Adam7.passCount, let header = try parse(prefix) else { return nil }
    let plan = try plan(header, in: prefix, options: options)
    return try prefix.withUnsafeBytes { buffer in
      guard header.isInterlaced || header.frameCount > 1 && PNGChunks.hasFrameAfterData(in: buffer),
        !header.hidesDefaultImage
      else { return nil }
      let bytes = PNGTruncatedFile.repaired(buffer) ?? Array(buffer)
      let (image, passCount) = try bytes.withUnsafeBytes {
        try draw($0, header, plan: plan, reading: .partial, options: options)
      }
      let reached = header.isInterlaced ? passCount : Adam7.passCount
      return reached > stage ? ImagePreview(image: image, stage: reached) : nil
    }
  }
}

extension PNGChunks {
  /// Whether a frame follows the default image of an animation, which is complete then.
  fileprivate static func hasFrameAfterData(in buffer: UnsafeRawBufferPointer) -> Bool {
    var chunks = PNGChunks(Bytes(buffer))
    var hasData = false
    while let chunk = chunks.next() {
      if chunk.name == "IDAT" { hasData = true }
      if hasData, chunk.name == "fcTL" { return true }
    }
    return false
  }
}

extension PNGDecoder: AnimatedImageDecoder {
  /// Opens an animation at its first frame, which can differ from the default image.
  ///
  /// Takes a copy of the bytes and memory for one canvas and one frame.
  package func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    guard let (reader, _) = try composedFrames(of: bytes, options: options) else {
      return WholeFrameReader.still { try decode(bytes, options: options).bitmap }
    }
    return reader
  }

  /// The frames of an animation, and the properties of the image that they are composed on; `nil` if there are none.
  private func composedFrames(
    of bytes: Data, options: DecodingOptions
  ) throws -> (reader: ComposedFrameReader, info: ImageInfo)? {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.png) }
    var (info, options) = (header.info, options)
    let colorSpace = try plan(header, in: bytes, options: options).colorSpace
    // All frames are decoded in the same space, to 8 bits.
    options.colorSpace = colorSpace == .sRGB ? .sRGB : .displayP3
    options.dynamicRange = .standard
    let file = try APNGFile(FileBytes(bytes), canvas: info.storedSize)
    guard file.frameCount > 0 else { return nil }
    // A part of the first frame leaves the rest of the canvas transparent.
    info.hasAlpha = info.hasAlpha || file.hasTransparentCanvas || options.allowsPartialImage
    let reader = ComposedFrameReader(
      APNGFrameSource(
        file, decoder: self, isCut: bytes.withUnsafeBytes { PNGTruncatedFile.lacksFrames($0, header) }, options: options
      ),
      animation: AnimationInfo(frameCount: file.frameCount, loopCount: file.loopCount),
      plan: try DecodingPlan(info: info, options: options), colors: ColorMapping(colorSpace: colorSpace),
      graphs: graphs, isCancelled: options.isCancelled)
    return (reader, info)
  }
}

/// The part of a PNG file that is expected to exist.
enum PNGReading {
  /// All of it.
  case whole
  /// All pixels, but not the end of the file.
  case withoutEnd
  /// Some pixels; missing ones are transparent.
  case partial
}
