#if JXL && !IMAGEIO
import HalcyonImaging
import CHalcyonJXL

/// The header of a JPEG XL file.
struct JPEGXLHeader {
  /// The maximum number of frames, as a malicious file can have millions of empty ones.
  private static let frameLimit = 100_000

  let info: ImageInfo
  let loopCount: Int?
  /// Whether the image was encoded from a wider gamut than sRGB.
  let isWide: Bool
  /// The signal, if the image is high dynamic range.
  let highDynamicRange: HighDynamicRange?

  /// - Throws: `ImageDecodingError.truncated` if the bytes end before the header does, or before the last frame of an
  ///   animation.
  init(_ bytes: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    let handle = try JPEGXLHandle(bytes, events: JXL_DEC_FRAME.code)
    let basics = handle.basics
    isWide = handle.isWide
    highDynamicRange = handle.highDynamicRange
    let isAnimated = basics.have_animation == JXL_TRUE
    loopCount = basics.animation.num_loops == 0 ? nil : Int(basics.animation.num_loops)
    info = ImageInfo(
      format: .jpegXL, storedSize: handle.size,
      orientation: ImageOrientation(rawValue: Int(basics.orientation.rawValue)) ?? .up,
      hasAlpha: basics.alpha_bits > 0, frameCount: isAnimated ? try Self.countFrames(handle) : 1,
      colorModel: handle.blackChannel != nil ? .cmyk : basics.num_color_channels == 1 ? .grey : .rgb,
      bitDepth: Int(min(16, basics.bits_per_sample)),
      hasColorProfile: Self.hasProfile(handle), droppedContent: Self.droppedContent(handle),
      dynamicRange: handle.highDynamicRange?.transfer.range ?? .standard)
  }

  private static func countFrames(_ handle: JPEGXLHandle) throws(ImageDecodingError) -> Int {
    var count = 0
    while try handle.process() == JXL_DEC_FRAME {
      count += 1
      guard count <= frameLimit else { throw .unsupportedFeature(.jpegXL, feature: "over \(frameLimit) frames") }
    }
    return max(1, count)
  }

  /// Whether the colour space is given by an ICC profile, not by an enumerated value.
  private static func hasProfile(_ handle: JPEGXLHandle) -> Bool {
    jxl_encoded_profile(handle.decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, nil) != JXL_DEC_SUCCESS
  }

  private static func droppedContent(_ handle: JPEGXLHandle) -> Set<DroppedContent> {
    var dropped: Set<DroppedContent> = []
    if handle.extraChannel(JXL_CHANNEL_DEPTH) != nil { dropped.insert(.depthMap) }
    if handle.highDynamicRange != nil { dropped.insert(.highDynamicRange) }
    return dropped
  }
}
#endif
