import HalcyonImaging

/// What the chunks of a WebP file tell (RFC 9649), all of them or the first.
struct WebPHeader {
  var canvas = PixelSize(width: 0, height: 0)
  var hasAlpha = false
  var isLossless = false
  var isAnimated = false
  /// As many pictures as the bytes hold.
  var pictureCount = 0
  /// How often the pictures are shown in all; 0 for ever, as the file has it.
  var loopCount = 0
  var profile: Range<Int>?
  var orientation: ImageOrientation?
  /// The first picture of an animation: where it is drawn, and its chunks.
  var first: (area: PixelArea, range: Range<Int>)?

  var info: ImageInfo {
    ImageInfo(
      format: .webp, storedSize: canvas, orientation: orientation ?? .up, hasAlpha: hasAlpha,
      frameCount: max(1, pictureCount), colorModel: isLossless ? .rgb : .yCbCr, hasColorProfile: profile != nil,
      droppedContent: pictureCount > 1 ? [.frames] : [])
  }
}
