/// An image ready to be drawn, and what is known of the file that it came from.
public struct DecodedImage: Sendable {
  /// Everything but the pixels.
  package struct Facts: Sendable {
    var info: ImageInfo
    var isPartial: Bool
    /// For how long the image may be shown as it is; `nil` for one that did not come from the web.
    package var freshness: SourceFreshness?
    var scale = 1.0
  }

  /// One reference for everything: images are copied at every hit in memory.
  ///
  /// Unchecked: what is here changes only while there is no other reference to it.
  private final class Contents: @unchecked Sendable {
    var bitmap: Bitmap
    let facts: Facts
    let animation: AnimatedImage?
    /// Pictures that were decoded in advance, held as long as the image is.
    let frames: AnimationFrames?

    init(bitmap: Bitmap, facts: Facts, animation: AnimatedImage?, frames: AnimationFrames?) {
      self.bitmap = bitmap
      self.facts = facts
      self.animation = animation
      self.frames = frames
    }
  }

  private var contents: Contents

  /// The pixels, upright: the orientation of the file has been applied.
  public package(set) var bitmap: Bitmap {
    get { contents.bitmap }
    set { contents = Contents(bitmap: newValue, facts: facts, animation: animation, frames: contents.frames) }
  }

  /// Pairs pixels with the facts about their source.
  ///
  /// - Parameter isPartial: Whether the file ended before the picture did.
  public init(bitmap: Bitmap, info: ImageInfo, animation: AnimatedImage? = nil, isPartial: Bool = false) {
    self.init(bitmap: bitmap, facts: Facts(info: info, isPartial: isPartial), animation: animation)
  }

  package init(bitmap: Bitmap, facts: Facts, animation: AnimatedImage?) {
    contents = Contents(bitmap: bitmap, facts: facts, animation: animation, frames: nil)
  }

  package var facts: Facts {
    get { contents.facts }
    set { contents = Contents(bitmap: bitmap, facts: newValue, animation: animation, frames: contents.frames) }
  }

  /// Whether no one else holds the image or its pixels.
  package var isUniquelyReferenced: Bool {
    mutating get { isKnownUniquelyReferenced(&contents) && contents.bitmap.isUniquelyReferenced }
  }

  /// What it takes to play the file, of which the pixels are the still picture; `nil` for a still image.
  public var animation: AnimatedImage? { contents.animation }

  /// The encoded image that the pixels come from; its pixel size may be larger than the bitmap's.
  public var info: ImageInfo { facts.info }

  /// Whether the file ended before the picture did; what is missing is transparent or grey.
  public var isPartial: Bool { facts.isPartial }

  /// Pixels to a point of the screen: what ``RequestOptions/scaleFactor`` said, else 1. It changes no pixel.
  public var scale: Double {
    get { facts.scale }
    set { facts.scale = newValue }
  }

  /// Width and height of the bitmap in pixels.
  public var size: PixelSize { bitmap.size }

  /// Bytes of memory that the pixels take, and the encoded bytes of an animation: the cost in a memory cache.
  public var byteCount: Int { bitmap.byteCount + (animation?.byteCount ?? 0) }

  /// The still picture without what it takes to play it.
  package var still: DecodedImage { animation == nil ? self : replacing(bitmap) }

  /// The image with pixels that a processor made, which is to change the pictures of an animation, too.
  package func replacing(_ bitmap: Bitmap, by processor: any ImageProcessor) -> DecodedImage {
    DecodedImage(bitmap: bitmap, facts: facts, animation: animation?.processed(by: processor))
  }

  /// The image with pictures that it holds as long as it is held.
  package func holding(_ frames: AnimationFrames) -> DecodedImage {
    var image = self
    image.contents = Contents(bitmap: bitmap, facts: facts, animation: animation, frames: frames)
    return image
  }

  /// The image with other pixels, which are still whatever they came from.
  package func replacing(_ bitmap: Bitmap) -> DecodedImage {
    var facts = facts
    if animation != nil { facts.info.droppedContent.insert(.frames) }
    return DecodedImage(bitmap: bitmap, facts: facts, animation: nil)
  }
}
