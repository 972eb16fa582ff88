/// An image ready to be drawn, and what is known of the file that it came from.
public struct DecodedImage: Sendable {
  /// The pixels, upright: the orientation of the file has been applied.
  public internal(set) var bitmap: Bitmap
  /// The encoded image that the pixels come from; its pixel size may be larger than the bitmap's.
  public let info: ImageInfo
  /// What it takes to play the file, of which the pixels are the still picture; `nil` for a still image.
  public let animation: AnimatedImage?

  /// Pairs pixels with the facts about their source.
  public init(bitmap: Bitmap, info: ImageInfo, animation: AnimatedImage? = nil) {
    self.bitmap = bitmap
    self.info = info
    self.animation = animation
  }

  /// Width and height of the bitmap in pixels.
  public var size: PixelSize { bitmap.size }

  /// Bytes of memory that the pixels take, and the encoded bytes of an animation: the cost in a memory cache.
  public var byteCount: Int { bitmap.byteCount + (animation?.byteCount ?? 0) }

  /// The image with other pixels, which are still whatever they came from.
  func replacing(_ bitmap: Bitmap) -> DecodedImage {
    var info = info
    if animation != nil { info.droppedContent.insert(.frames) }
    return DecodedImage(bitmap: bitmap, info: info)
  }
}
