/// An image ready to be drawn, and what is known of the file that it came from.
public struct DecodedImage: Sendable {
  /// Everything but the pixels.
  struct Facts: Sendable {
    var info: ImageInfo
    var isPartial: Bool
    /// For how long the image may be shown as it is; `nil` for one that did not come from the web.
    var freshness: SourceFreshness?
  }

  /// The pixels, upright: the orientation of the file has been applied.
  public internal(set) var bitmap: Bitmap
  var facts: Facts

  /// Pairs pixels with the facts about their source.
  ///
  /// - Parameter isPartial: Whether the file ended before the picture did.
  public init(bitmap: Bitmap, info: ImageInfo, isPartial: Bool = false) {
    self.init(bitmap: bitmap, facts: Facts(info: info, isPartial: isPartial))
  }

  init(bitmap: Bitmap, facts: Facts) {
    self.bitmap = bitmap
    self.facts = facts
  }

  /// The encoded image that the pixels come from; its pixel size may be larger than the bitmap's.
  public var info: ImageInfo { facts.info }

  /// Whether the file ended before the picture did; what is missing is transparent or grey.
  public var isPartial: Bool { facts.isPartial }

  /// Width and height of the bitmap in pixels.
  public var size: PixelSize { bitmap.size }

  /// Bytes of memory that the pixels take: the cost in a memory cache.
  public var byteCount: Int { bitmap.byteCount }
}
