#if AVIF && !IMAGEIO
package import HalcyonImaging
package import Foundation

/// Decodes AVIF through libavif: still images and image sequences, grids, alpha, 8 to 12 bits per channel.
///
/// libavif decodes whole frames, so a smaller target size temporarily takes the memory of the full size, and cancellation
/// takes effect after the frame. The stored planes are resampled to the target size before colour conversion, so only the
/// pixels of the result are converted. Out-of-gamut colours are clipped to sRGB, and high dynamic range is tone-mapped.
package struct AVIFDecoder: AnimatedImageDecoder {
  private let renderer = PlanarRenderer()

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.avif]
  package var decodesRegions: Bool { true }

  /// Reads the boxes before the coded image data.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try header(bytes, isComplete: isComplete)?.info(.avif)
  }

  /// Decodes a file that contains its image at the target size; of an image sequence, its first frame.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let header = try wholeHeader(bytes)
    return try bytes.withUnsafeBytes { buffer in
      var options = options
      let gainMap = options.dynamicRange == .high ? try gainMap(of: buffer, header, options.limits) : nil
      // The map was made for the colours of the file.
      if gainMap != nil { options.colorSpace = .source }
      let plan = try DecodingPlan(info: header.info(.avif), isWide: header.isWide, options: options)
      if options.isCancelled() { throw ImageDecodingError.cancelled }
      let reader = try AVIFReader(buffer, header: header, limits: options.limits)
      try reader.next()
      let image = try renderer.image(
        WholeSamples(reader.samples()), header: header, plan: plan, isCancelled: options.isCancelled)
      guard let gainMap, let file = ItemTable.file(buffer, withPrimary: gainMap.item) else { return image }
      return try gainMap.encoded.added(to: consume image, plan, options) { geometry in
        try file.withUnsafeBytes { buffer in
          let reader = try AVIFReader(buffer, header: gainMap.header, limits: options.limits)
          try reader.next()
          return try renderer.bitmap(
            WholeSamples(reader.samples()), header: gainMap.header, geometry, .avif, nil,
            isCancelled: options.isCancelled)
        }
      }
    }
  }

  private func gainMap(
    of file: UnsafeRawBufferPointer, _ header: HEIFImageHeader, _ limits: ImageLimits
  ) throws(ImageDecodingError) -> HEIFGainMap? {
    try MediaFile(Bytes(file), format: .avif).metadata.flatMap { metadata in
      HEIFGainMap(Bytes(file), metadata, header, .avif, limits: limits)
    }
  }

  /// Opens an image sequence at its first frame, or a still image as an animation of one frame.
  package func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let header = try wholeHeader(bytes)
    let plan = try DecodingPlan(info: header.info(.avif), isWide: header.isWide, options: options)
    let file = FileBytes(bytes)
    let reader = try AVIFReader(file.buffer, header: header, limits: options.limits)
    let animation = AnimationInfo(frameCount: max(1, reader.frameCount), loopCount: header.loopCount)
    return WholeFrameReader(animation) {
      if options.isCancelled() { throw ImageDecodingError.cancelled }
      guard try reader.next() else { return nil }
      let image = try renderer.image(
        WholeSamples(reader.samples()), header: header, plan: plan, isCancelled: options.isCancelled)
      return AnimationFrame(bitmap: image.bitmap, duration: FrameDuration.displayed(seconds: reader.frameSeconds))
    } rewind: {
      try withExtendedLifetime(file) { try reader.rewind() }
    }
  }

  /// Reads the boxes, and the Exif and XMP items that they point to.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
    try HEIFMetadata.metadata(of: bytes, header: wholeHeader(bytes), format: .avif)
  }

  private func header(_ bytes: Data, isComplete: Bool) throws -> HEIFImageHeader? {
    try bytes.withUnsafeBytes {
      try HEIFImageHeaderParser.parse(Bytes($0), format: .avif, isComplete: isComplete, prefersSequence: true)
    }
  }

  private func wholeHeader(_ bytes: Data) throws -> HEIFImageHeader {
    guard let header = try header(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.avif) }
    let isWhole = try bytes.withUnsafeBytes {
      try MediaFile(Bytes($0), format: .avif).hasWholeImage(prefersSequence: true)
    }
    guard isWhole else { throw ImageDecodingError.truncated(.avif) }
    return header
  }
}
#endif
