/// The limits for images to decode, checked before memory is allocated.
///
/// ```swift
/// let pipeline = ImagePipeline { $0.limits = ImageLimits(pixelCount: 20_000_000, encodedByteCount: 10 << 20) }
/// ```
public struct ImageLimits: Hashable, Sendable {
  /// The most pixels of the whole image; of an SVG file, which has none, of the result. Default: 100 million.
  ///
  /// Baseline JPEG and tiled HEIC are never in memory as a whole when a smaller size or a region of them is decoded. Then they
  /// may have two and a half times as many pixels, so that photos of 200 megapixels are shown. Not on Apple's platforms.
  public var pixelCount: Int
  /// The most pixels of one side; of an SVG file of the result. Default: 16,384.
  public var sideLength: Int
  /// The most encoded bytes, checked while they are received. Default: 64 MiB.
  public var encodedByteCount: Int

  /// Creates limits.
  public init(pixelCount: Int = 100_000_000, sideLength: Int = 16_384, encodedByteCount: Int = 64 << 20) {
    self.pixelCount = pixelCount
    self.sideLength = sideLength
    self.encodedByteCount = encodedByteCount
  }

  /// Throws when an image of this size exceeds a limit or has no pixels.
  public func check(_ size: PixelSize, format: ImageFormat) throws(ImageDecodingError) {
    try check(size, format: format, isInRows: false)
  }

  /// Throws as well for the size of a file.
  ///
  /// - Parameter isInRows: Whether only some rows of it are in memory at once; for a header that does not say it, whether
  ///   the format may be read so.
  package func check(_ size: PixelSize, format: ImageFormat, isInRows: Bool) throws(ImageDecodingError) {
    guard size.width > 0, size.height > 0 else {
      throw .corrupt(format, reason: "its size is \(size) pixels")
    }
    guard max(size.width, size.height) <= sideLength else {
      throw .sideTooLong(size, limit: sideLength)
    }
    guard size.pixelCount <= pixelCount || isInRows && size.pixelCount / 5 < pixelCount / 2 else {
      throw .tooManyPixels(size, limit: pixelCount)
    }
  }
}
