import HalcyonImaging

/// What the headers of a Windows or OS/2 bitmap tell, whatever version they are of.
struct BMPHeader {
  enum Compression: Int {
    case none = 0
    case rle8 = 1
    case rle4 = 2
    case bitFields = 3
    /// Bit fields with one for alpha behind the header.
    case alphaBitFields = 6
  }

  /// Where the colour table lies and how many bytes a colour has.
  struct Palette {
    var offset = 0
    var count = 0
    var bytesPerColor = 4
  }

  var size = PixelSize(width: 0, height: 0)
  var isTopDown = false
  var bitCount = 0
  var compression = Compression.none
  /// Red, green, blue, alpha.
  var masks: [UInt32] = []
  var palette = Palette()
  var hasColorProfile = false
  /// The first byte of the pixels.
  var pixelOffset = 0

  var hasAlpha: Bool { masks.count == 4 && masks[3] != 0 }

  var isRunLengthEncoded: Bool { compression == .rle4 || compression == .rle8 }

  /// Bytes from one row to the next.
  var bytesPerRow: Int { (size.width * bitCount + 31) / 32 * 4 }

  /// Bytes of a row without what fills it up.
  var usedBytesPerRow: Int { (size.width * bitCount + 7) / 8 }

  var info: ImageInfo {
    ImageInfo(
      format: .bmp, storedSize: size, hasAlpha: hasAlpha, colorModel: bitCount <= 8 ? .palette : .rgb,
      bitDepth: bitCount <= 8 ? bitCount : bitCount == 16 ? 5 : 8, hasColorProfile: hasColorProfile)
  }
}
