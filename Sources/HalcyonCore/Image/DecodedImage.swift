/// An image ready to be drawn, and what is known of the file that it came from.
public struct DecodedImage: Sendable {
  /// The pixels, upright: the orientation of the file has been applied.
  public internal(set) var bitmap: Bitmap
  /// The encoded image that the pixels come from; its pixel size may be larger than the bitmap's.
  public let info: ImageInfo
  /// For how long it may be shown as it is; `nil` for an image that did not come from the web.
  var freshness: SourceFreshness?

  /// Pairs pixels with the facts about their source.
  public init(bitmap: Bitmap, info: ImageInfo) {
    self.bitmap = bitmap
    self.info = info
  }

  /// Width and height of the bitmap in pixels.
  public var size: PixelSize { bitmap.size }

  /// Bytes of memory that the pixels take: the cost in a memory cache.
  public var byteCount: Int { bitmap.byteCount }
}
