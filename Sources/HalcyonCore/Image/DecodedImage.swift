/// An image ready to be drawn, and what is known of the file that it came from.
public struct DecodedImage: Sendable {
  /// The pixels, upright: the orientation of the file has been applied.
  public internal(set) var bitmap: Bitmap
  /// The encoded image that the pixels come from; its pixel size may be larger than the bitmap's.
  public let info: ImageInfo

  /// Whether the file ended before the picture did; what is missing is transparent or grey.
  public let isPartial: Bool

  /// Pairs pixels with the facts about their source.
  public init(bitmap: Bitmap, info: ImageInfo, isPartial: Bool = false) {
    self.bitmap = bitmap
    self.isPartial = isPartial
    self.info = info
  }

  /// Width and height of the bitmap in pixels.
  public var size: PixelSize { bitmap.size }

  /// Bytes of memory that the pixels take: the cost in a memory cache.
  public var byteCount: Int { bitmap.byteCount }
}
