import HalcyonImaging

/// The headers of a Windows or OS/2 bitmap, of any version.
struct BMPHeader {
  enum Compression: Int {
    case none = 0
    case rle8 = 1
    case rle4 = 2
    case bitFields = 3
    /// Bit fields with an alpha mask after the header.
    case alphaBitFields = 6
  }

  /// The position and layout of the colour table.
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
  /// Whether alpha that is 0 everywhere counts as opaque, because writers of short headers leave that byte empty. A
  /// longer header with an alpha mask is believed.
  var ignoresEmptyAlpha = false
  var hasColorProfile = false
  /// The first byte of the pixels.
  var pixelOffset = 0

  var hasAlpha: Bool { masks.count == 4 && masks[3] != 0 }

  var isRunLengthEncoded: Bool { compression == .rle4 || compression == .rle8 }

  /// The row stride in bytes.
  var bytesPerRow: Int { (size.width * bitCount + 31) / 32 * 4 }

  /// The bytes of a row without padding.
  var usedBytesPerRow: Int { (size.width * bitCount + 7) / 8 }

  var info: ImageInfo {
    ImageInfo(
      format: .bmp, storedSize: size, hasAlpha: hasAlpha, colorModel: bitCount <= 8 ? .palette : .rgb,
      bitDepth: bitCount <= 8 ? bitCount : bitCount == 16 ? 5 : 8, hasColorProfile: hasColorProfile)
  }
}

/// Parses the headers of a bitmap: the file header and the information header, in the versions of Windows 2 to 5 and
/// OS/2.
struct BMPHeaderParser {
  private static let fileHeaderByteCount = 14
  /// The size of BITMAPCOREHEADER, which has 16-bit sides and colours of three bytes.
  private static let coreByteCount = 12
  private static let profileTags: [UInt32] = [0x4D42_4544, 0x4C49_4E4B]

  private let bytes: Bytes
  /// The offset of the information header.
  private let start: Int
  private var header = BMPHeader()

  /// The headers of a file, or `nil` if they are incomplete.
  static func parse(file bytes: Bytes) throws(ImageDecodingError) -> BMPHeader? {
    guard bytes.starts(with: "BM".utf8.prefix(bytes.count)) else {
      throw .corrupt(.bmp, reason: "its signature is wrong")
    }
    var parser = BMPHeaderParser(bytes: bytes, start: fileHeaderByteCount)
    guard let offset = bytes.unsigned32(at: 10, littleEndian: true), try parser.read() else { return nil }
    if offset >= fileHeaderByteCount + coreByteCount { parser.header.pixelOffset = offset }
    return parser.header
  }

  /// The header of a bitmap in an icon, which has no file header; its height counts pixels and mask together.
  static func parse(icon bytes: Bytes) throws(ImageDecodingError) -> BMPHeader? {
    var parser = BMPHeaderParser(bytes: bytes, start: 0)
    guard try parser.read() else { return nil }
    parser.header.size.height /= 2
    return parser.header
  }

  private init(bytes: Bytes, start: Int) {
    self.bytes = bytes
    self.start = start
  }

  /// Returns `false` if the headers are incomplete.
  private mutating func read() throws(ImageDecodingError) -> Bool {
    guard let byteCount = unsigned32(0) else { return false }
    guard byteCount >= 16 || byteCount == Self.coreByteCount, byteCount <= 1024 else {
      throw .corrupt(.bmp, reason: "its header has \(byteCount) bytes")
    }
    guard bytes.count >= start + byteCount else { return false }
    let isComplete = byteCount == Self.coreByteCount ? readCore() : try readInformation(byteCount)
    guard isComplete else { return false }
    try check()
    return true
  }

  private mutating func readCore() -> Bool {
    guard let width = unsigned16(4), let height = unsigned16(6), let bitCount = unsigned16(10) else { return false }
    header.size = PixelSize(width: width, height: height)
    header.bitCount = bitCount
    setDefaultMasks()
    placePalette(at: Self.coreByteCount, colorsUsed: 0, bytesPerColor: 3)
    return true
  }

  private mutating func readInformation(_ byteCount: Int) throws(ImageDecodingError) -> Bool {
    guard let width = signed32(4), let height = signed32(8), let bitCount = unsigned16(14) else { return false }
    header.isTopDown = height < 0
    header.size = PixelSize(width: width, height: Int(clamping: height.magnitude))
    header.bitCount = bitCount
    try readCompression(byteCount >= 20 ? unsigned32(16) ?? 0 : 0)
    var end = byteCount
    if header.compression == .bitFields || header.compression == .alphaBitFields {
      let count = header.compression == .alphaBitFields || byteCount >= 56 ? 4 : 3
      // Older headers are followed by the masks.
      if byteCount < 52 { end += count * 4 }
      guard bytes.count >= start + end else { return false }
      header.masks = (0..<count).compactMap { bits32(40 + $0 * 4) }
      header.ignoresEmptyAlpha = byteCount < 56
    } else {
      setDefaultMasks()
      // As in browsers: the fourth byte is alpha if the header has a field for the alpha mask, and it is not 0.
      if header.bitCount == 32, byteCount >= 108, bits32(52) ?? 0 != 0 { header.masks.append(0xFF00_0000) }
    }
    if byteCount >= 108 { header.hasColorProfile = Self.profileTags.contains(bits32(56) ?? 0) }
    placePalette(at: end, colorsUsed: byteCount >= 36 ? unsigned32(32) ?? 0 : 0, bytesPerColor: 4)
    return true
  }

  private mutating func readCompression(_ code: Int) throws(ImageDecodingError) {
    guard let compression = BMPHeader.Compression(rawValue: code) else {
      throw .unsupportedFeature(.bmp, feature: "compression \(code)")
    }
    header.compression = compression
  }

  private mutating func setDefaultMasks() {
    switch header.bitCount {
    case 16: header.masks = [0x7C00, 0x03E0, 0x001F]
    case 24, 32: header.masks = [0xFF0000, 0x00FF00, 0x0000FF]
    default: header.masks = []
    }
  }

  private mutating func placePalette(at offset: Int, colorsUsed: Int, bytesPerColor: Int) {
    let possible = header.bitCount <= 8 ? 1 << header.bitCount : 0
    let stored = colorsUsed == 0 ? possible : colorsUsed
    header.palette = BMPHeader.Palette(
      offset: start + offset, count: min(possible, stored), bytesPerColor: bytesPerColor)
    header.pixelOffset = start + offset + (header.bitCount <= 8 ? stored : colorsUsed) * bytesPerColor
  }

  private func check() throws(ImageDecodingError) {
    guard header.size.width > 0, header.size.height > 0, header.size.height <= Int(Int32.max) else {
      throw .corrupt(.bmp, reason: "its size is \(header.size) pixels")
    }
    let possible: [Int] =
      switch header.compression {
      case .none: [1, 2, 4, 8, 16, 24, 32]
      case .rle8: [8]
      case .rle4: [4]
      case .bitFields, .alphaBitFields: [16, 32]
      }
    guard possible.contains(header.bitCount) else {
      throw .corrupt(.bmp, reason: "it has \(header.bitCount) bits per pixel with compression \(header.compression)")
    }
  }

  private func unsigned16(_ offset: Int) -> Int? { bytes.unsigned16(at: start + offset, littleEndian: true) }

  private func unsigned32(_ offset: Int) -> Int? { bytes.unsigned32(at: start + offset, littleEndian: true) }

  private func bits32(_ offset: Int) -> UInt32? { bytes.bits32(at: start + offset, littleEndian: true) }

  private func signed32(_ offset: Int) -> Int? { bits32(offset).map { Int(Int32(bitPattern: $0)) } }
}
