/// The properties of an encoded image, read from its first bytes without decoding.
///
/// ```swift
/// let info = try await pipeline.info(for: request)  // downloads the file
/// print(info.format, info.pixelSize, info.frameCount)
/// ```
public struct ImageInfo: Hashable, Sendable {
  /// The encoding.
  public var format: ImageFormat
  /// Width and height in pixels as stored in the file, before the orientation is applied.
  public var storedSize: PixelSize
  /// The rotation or reflection that makes the stored pixels upright.
  public var orientation: ImageOrientation
  /// Whether the image can contain transparent pixels.
  public var hasAlpha: Bool
  /// The number of frames; 1 unless the image is animated.
  public var frameCount: Int
  /// The colour model of the file.
  public var colorModel: ColorModel
  /// Bits per channel in the file, 1 to 16.
  public var bitDepth: Int
  /// Whether the file contains an ICC profile.
  public var hasColorProfile: Bool
  /// The range of luminances of the file.
  public var dynamicRange: EncodedDynamicRange
  /// Content of the file that the decoded image does not contain.
  public var droppedContent: Set<DroppedContent>

  /// Creates image properties; the defaults describe an ordinary photograph.
  public init(
    format: ImageFormat, storedSize: PixelSize, orientation: ImageOrientation = .up, hasAlpha: Bool = false,
    frameCount: Int = 1, colorModel: ColorModel = .rgb, bitDepth: Int = 8, hasColorProfile: Bool = false,
    droppedContent: Set<DroppedContent> = [], dynamicRange: EncodedDynamicRange = .standard
  ) {
    self.format = format
    self.storedSize = storedSize
    self.orientation = orientation
    self.hasAlpha = hasAlpha
    self.frameCount = frameCount
    self.colorModel = colorModel
    self.bitDepth = bitDepth
    self.hasColorProfile = hasColorProfile
    self.droppedContent = droppedContent
    self.dynamicRange = dynamicRange
  }

  /// Width and height in pixels with the orientation applied.
  public var pixelSize: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }
}

/// The colour model of an image file.
@nonexhaustive
public enum ColorModel: String, Hashable, Sendable {
  /// One grey channel.
  case grey
  /// Red, green, blue.
  case rgb
  /// Luma and two chroma channels.
  case yCbCr
  /// Indices into a palette.
  case palette
  /// Cyan, magenta, yellow and black ink.
  case cmyk
}

extension ImageInfo: CustomStringConvertible {
  /// The format, the upright size, and what is unusual: for example `jpeg 4000x3000, ICC profile` or
  /// `gif 320x240, 12 frames, alpha`.
  public var description: String {
    var parts = ["\(format.rawValue) \(pixelSize)"]
    if frameCount > 1 { parts.append("\(frameCount) frames") }
    if hasAlpha { parts.append("alpha") }
    if colorModel == .grey || colorModel == .cmyk { parts.append(colorModel.rawValue) }
    if bitDepth != 8 { parts.append("\(bitDepth) bits") }
    if orientation != .up { parts.append("stored as \(storedSize)") }
    if hasColorProfile { parts.append("ICC profile") }
    if dynamicRange != .standard { parts.append("\(dynamicRange)") }
    if !droppedContent.isEmpty {
      parts.append("without \(droppedContent.map(\.rawValue).sorted().joined(separator: ", "))")
    }
    return parts.joined(separator: ", ")
  }
}
