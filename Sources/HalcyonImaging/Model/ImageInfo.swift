/// What the first bytes of an encoded image tell about it, without decoding.
public struct ImageInfo: Hashable, Sendable {
  /// The encoding.
  public var format: ImageFormat
  /// Width and height in pixels as stored in the file, before the orientation is applied.
  public var storedSize: PixelSize
  /// How the stored pixels have to be turned to be upright.
  public var orientation: ImageOrientation
  /// Whether pixels can be transparent.
  public var hasAlpha: Bool
  /// The number of pictures in the file; 1 unless it is animated.
  public var frameCount: Int
  /// How the file stores colour.
  public var colorModel: ColorModel
  /// Bits that one channel of the file has, 1 to 16.
  public var bitDepth: Int
  /// Whether the file carries an ICC profile.
  public var hasColorProfile: Bool
  /// What the file holds and the decoded picture does not show.
  public var droppedContent: Set<DroppedContent>

  /// Creates a description; everything but format and size has the value of a plain photograph.
  public init(
    format: ImageFormat, storedSize: PixelSize, orientation: ImageOrientation = .up, hasAlpha: Bool = false,
    frameCount: Int = 1, colorModel: ColorModel = .rgb, bitDepth: Int = 8, hasColorProfile: Bool = false,
    droppedContent: Set<DroppedContent> = []
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
  }

  /// Width and height in pixels as people see the image, with the orientation applied.
  public var pixelSize: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }
}

/// How a file stores colour.
@nonexhaustive
public enum ColorModel: String, Hashable, Sendable {
  /// One channel of grey.
  case grey
  /// Red, green, blue.
  case rgb
  /// Luma and two colour differences.
  case yCbCr
  /// Indices into a table of colours.
  case palette
  /// Four inks.
  case cmyk
}
