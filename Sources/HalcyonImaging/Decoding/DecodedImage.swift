/// A decoded image, ready to be drawn, with the properties of its file.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: url)
/// print(image.size, image.info.format, image.animation?.frameCount ?? 1)
/// try await image.write(to: folder.appending(path: "copy.png"))
/// ```
public struct DecodedImage: Sendable {
  /// The metadata of the image.
  @usableFromInline
  package struct Facts: Sendable {
    package var info: ImageInfo
    var isPartial: Bool
    package var isDamaged = false
    /// How long the image is fresh; `nil` if it was not loaded over HTTP.
    package var freshness: SourceFreshness?
    var scale = 1.0
    /// Whether it was decoded from a stored variant, whose original may have more pixels than ``info`` says.
    package var isStoredVariant = false
  }

  /// The contents behind one reference, since every memory hit copies the image.
  ///
  /// Unchecked: the contents change only while there is no other reference to them.
  @usableFromInline
  final class Contents: @unchecked Sendable {
    @usableFromInline var bitmap: Bitmap
    @usableFromInline let facts: Facts
    let animation: AnimatedImage?
    /// Frames that were decoded in advance, retained by the image.
    let frames: AnimationFrames?
    /// The gain map of the pixels, if they are to be written with it.
    let gainMap: GainMap?

    init(
      bitmap: Bitmap, facts: Facts, animation: AnimatedImage?, frames: AnimationFrames?, gainMap: GainMap? = nil
    ) {
      self.bitmap = bitmap
      self.facts = facts
      self.animation = animation
      self.frames = frames
      self.gainMap = gainMap
    }
  }

  @usableFromInline var contents: Contents

  /// The pixels, with the orientation of the file applied. Setting them does not change the ``animation``; a gain map, which
  /// files are written with, does not apply to other pixels.
  public var bitmap: Bitmap {
    get { contents.bitmap }
    set { contents = Contents(bitmap: newValue, facts: facts, animation: animation, frames: contents.frames) }
  }

  /// Creates an image from pixels and the properties of their file.
  ///
  /// - Parameters:
  ///   - bitmap: The pixels.
  ///   - info: The properties of the file. Default: the properties of a PNG of this size.
  ///   - animation: The animation of which `bitmap` is the still frame, or `nil` for a still image.
  ///   - isPartial: Whether pixels are missing because the file ended early or is damaged.
  public init(bitmap: Bitmap, info: ImageInfo? = nil, animation: AnimatedImage? = nil, isPartial: Bool = false) {
    let info = info ?? ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: !bitmap.isOpaque)
    self.init(bitmap: bitmap, facts: Facts(info: info, isPartial: isPartial), animation: animation)
  }

  package init(bitmap: Bitmap, facts: Facts, animation: AnimatedImage?, gainMap: GainMap? = nil) {
    contents = Contents(bitmap: bitmap, facts: facts, animation: animation, frames: nil, gainMap: gainMap)
  }

  package var facts: Facts {
    @inlinable get { contents.facts }
    set {
      contents = Contents(
        bitmap: bitmap, facts: newValue, animation: animation, frames: contents.frames, gainMap: gainMap)
    }
  }

  /// Whether this is the only reference to the image and to its pixels.
  @inlinable package var isUniquelyReferenced: Bool {
    mutating get { isKnownUniquelyReferenced(&contents) && contents.bitmap.isUniquelyReferenced }
  }

  /// The animation of which the pixels are the still frame; `nil` for a still image.
  public var animation: AnimatedImage? { contents.animation }

  /// The gain map of the ``bitmap``, which is upright as well and covers the same part of the picture.
  package var gainMap: GainMap? { contents.gainMap }

  /// The properties of the encoded image; its pixel size may be larger than the bitmap's.
  public var info: ImageInfo { facts.info }

  /// Whether pixels are missing because the file ended early or is damaged; they are transparent or grey.
  public var isPartial: Bool { facts.isPartial }

  /// Whether pixels may be wrong because the data of a JPEG file is damaged, which is decoded all the same, as in browsers.
  ///
  /// At a smaller size only the data that it needs is read. Other damaged files throw, or are ``isPartial``. Apple's systems
  /// do not report it.
  public var isDamaged: Bool { facts.isDamaged }

  /// Pixels per point: the ``RequestOptions/scale`` of the request. Default: 1. It does not affect the pixels.
  public var scale: Double {
    get { facts.scale }
    set { facts.scale = newValue }
  }

  /// Width and height of the bitmap in pixels.
  public var size: PixelSize { bitmap.size }

  /// The cost in a memory cache: the bytes of the pixels and of a gain map, and the encoded bytes of an animation.
  package var byteCount: Int { bitmap.byteCount + (animation?.data.count ?? 0) + (gainMap?.bitmap.byteCount ?? 0) }

  /// The still frame without the animation.
  package var still: DecodedImage { animation == nil ? self : replacing(bitmap) }

  /// The image with processors applied in order.
  ///
  /// - Parameter keepsAnimation: Whether they apply to the frames of an animation as well; otherwise it is dropped.
  /// - Throws: ``ProcessorFailure``.
  package func applying(
    _ processors: [any ImageProcessor], keepsAnimation: Bool
  ) throws(ProcessorFailure) -> DecodedImage {
    if processors.isEmpty { return self }
    var image = ProcessedImage(bitmap, of: info, gainMap: gainMap, isComplete: !isPartial)
    try image.apply(processors)
    guard keepsAnimation, let animation else { return replacing(image.bitmap, gainMap: image.gainMap) }
    return DecodedImage(bitmap: image.bitmap, facts: facts, animation: animation.processed(by: processors))
  }

  /// Whether the image retains frames that were decoded in advance.
  package var holdsFrames: Bool { contents.frames != nil }

  /// The image with a strong reference to decoded frames.
  package func holding(_ frames: AnimationFrames) -> DecodedImage {
    var image = self
    image.contents = Contents(bitmap: bitmap, facts: facts, animation: animation, frames: frames)
    return image
  }

  /// The image with another bitmap, without the animation.
  ///
  /// - Parameter gainMap: The gain map of the bitmap.
  package func replacing(_ bitmap: Bitmap, gainMap: GainMap? = nil) -> DecodedImage {
    var facts = facts
    if animation != nil { facts.info.droppedContent.insert(.frames) }
    if gainMap == nil, self.gainMap != nil { facts.info.droppedContent.insert(.gainMap) }
    if bitmap.dynamicRange == .standard, self.bitmap.dynamicRange == .high {
      facts.info.droppedContent.insert(.highDynamicRange)
    }
    return DecodedImage(bitmap: bitmap, facts: facts, animation: nil, gainMap: gainMap)
  }
}

/// The freshness of a downloaded image, and the version of its data.
package struct SourceFreshness: Hashable, Sendable {
  /// When the image becomes stale: an uptime rather than a date, since a date may jump.
  package var end: Duration
  /// A hash of the encoded bytes.
  package var version: UInt64
  /// The number of the encoded bytes.
  package var byteCount: Int

  package init(end: Duration, version: UInt64, byteCount: Int) {
    self.end = end
    self.version = version
    self.byteCount = byteCount
  }
}

extension DecodedImage: CustomStringConvertible {
  /// The size of the bitmap, and the properties of its file: for example `640x427 of jpeg 4000x3000`.
  public var description: String { "\(size) of \(info)\(isPartial ? ", partial" : "")\(isDamaged ? ", damaged" : "")" }
}
