import HalcyonImaging
import Foundation

/// The header of a JPEG XL file, read without a codec (ISO/IEC 18181-1, annexes A to E; boxes: ISO/IEC 18181-2).
///
/// For Apple's systems, whose codec gets a file only after its limits have been checked. Only decoding could count the
/// frames, so an animation counts as one frame.
struct JPEGXLFileHeader {
  /// A header needs less, unless its channels have long names.
  private static let byteLimit = 1 << 16

  let info: ImageInfo
  /// Whether an enumerated colour encoding is wider than sRGB; for an ICC profile this is not known.
  let isWide: Bool
  private let metadata: Metadata
  /// After the colour encoding.
  private let reader: JPEGXLBitReader

  /// The fields of the metadata that ``ImageInfo`` does not have.
  private struct Metadata {
    /// Whether all fields have their defaults.
    var isDefault = true
    var hasExtraFields = false
    var hasPreview = false
    var isWide = false
  }

  /// - Throws: `ImageDecodingError.truncated` if the bytes end within the header.
  init(_ bytes: Bytes) throws(ImageDecodingError) {
    let codestream = try Self.codestream(bytes)
    var reader = JPEGXLBitReader(codestream)
    guard try reader.bits(16) == 0x0AFF else { throw .corrupt(.jpegXL, reason: "it has no codestream") }
    let size = try reader.imageSize()
    var info = ImageInfo(format: .jpegXL, storedSize: size)
    var metadata = Metadata()
    if try !reader.flag() { metadata = try Self.readMetadata(&reader, into: &info) }
    self.info = info
    isWide = metadata.isWide
    self.metadata = metadata
    self.reader = reader
  }

  /// Whether the first frame of a file draws splines, as far as that is known without decoding more than its header.
  static func hasSplines(_ bytes: Bytes) -> Bool {
    guard let header = try? JPEGXLFileHeader(bytes), !header.metadata.hasPreview, !header.info.hasColorProfile else {
      return false
    }
    var reader = header.reader
    let flags = try? reader.frameFlags(
      hasToneMapping: header.metadata.hasExtraFields, hasExtensions: !header.metadata.isDefault)
    return (flags ?? 0) & JPEGXLBitReader.splinesFlag != 0
  }

  /// The first bytes of the codestream, which is the file itself or in its `jxlc` box or `jxlp` boxes.
  private static func codestream(_ bytes: Bytes) throws(ImageDecodingError) -> [UInt8] {
    if bytes.starts(with: [0xFF, 0x0A]) { return first(bytes) }
    var parts: [UInt8] = []
    for box in Box.boxes(in: bytes) where parts.count < byteLimit {
      switch box.type {
      case "jxlc": return first(box.content)
      // Each part starts with its number.
      case "jxlp": parts += first(box.content[4..<max(4, box.content.count)])
      default: break
      }
    }
    return parts
  }

  private static func first(_ bytes: Bytes) -> [UInt8] { Array(bytes[0..<byteLimit].data) }

  /// Reads up to the end of the colour encoding.
  private static func readMetadata(
    _ reader: inout JPEGXLBitReader, into info: inout ImageInfo
  ) throws(ImageDecodingError) -> Metadata {
    var metadata = Metadata(isDefault: false, hasExtraFields: try reader.flag())
    if metadata.hasExtraFields {
      info.orientation = ImageOrientation(rawValue: try reader.bits(3) + 1) ?? .up
      // The intrinsic size, which is a hint.
      if try reader.flag() { _ = try reader.imageSize() }
      metadata.hasPreview = try reader.flag()
      if metadata.hasPreview { try reader.skipPreviewSize() }
      if try reader.flag() {
        try reader.skipAnimation()
        info.droppedContent.insert(.frames)
      }
    }
    info.bitDepth = min(16, try reader.bitDepth())
    // Whether 16-bit buffers suffice.
    _ = try reader.flag()
    let channelCount = try reader.number(.constant(0), .constant(1), .bits(4, from: 2), .bits(12, from: 1))
    for _ in 0..<channelCount {
      switch try reader.extraChannel() {
      case JPEGXLBitReader.alphaChannel: info.hasAlpha = true
      case JPEGXLBitReader.depthChannel: info.droppedContent.insert(.depthMap)
      default: break
      }
    }
    // Whether the colours are coded as XYB.
    _ = try reader.flag()
    let color = try reader.colorEncoding()
    info.colorModel = color.isGrey ? .grey : .rgb
    info.hasColorProfile = color.hasProfile
    if let transfer = color.transfer {
      info.droppedContent.insert(.highDynamicRange)
      info.dynamicRange = transfer.range
    }
    metadata.isWide = color.isWide
    return metadata
  }
}

/// Reads the fields of JPEG XL headers, least significant bit first (ISO/IEC 18181-1, annex B).
private struct JPEGXLBitReader {
  static let alphaChannel = 0
  static let depthChannel = 1
  static let splinesFlag = 16
  private static let spotColorChannel = 2
  private static let colorFilterChannel = 5

  /// One of the four ways in which a number is coded.
  enum Distribution {
    case constant(Int)
    case bits(Int, from: Int)
  }

  struct ColorEncoding {
    var isGrey = false
    var hasProfile = false
    /// A function of high dynamic range.
    var transfer: HighDynamicRange.Transfer?
    var isWide = false
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func bits(_ count: Int) throws(ImageDecodingError) -> Int {
    guard position + count <= bytes.count * 8 else { throw .truncated(.jpegXL) }
    var value = 0
    for index in 0..<count {
      value |= Int(bytes[position >> 3] >> (position & 7) & 1) << index
      position += 1
    }
    return value
  }

  mutating func flag() throws(ImageDecodingError) -> Bool { try bits(1) == 1 }

  mutating func number(
    _ first: Distribution, _ second: Distribution, _ third: Distribution, _ fourth: Distribution
  ) throws(ImageDecodingError) -> Int {
    let distribution =
      switch try bits(2) {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    switch distribution {
    case .constant(let value): return value
    case .bits(let count, let start): return try start + bits(count)
    }
  }

  private mutating func enumeration() throws(ImageDecodingError) -> Int {
    try number(.constant(0), .constant(1), .bits(4, from: 2), .bits(6, from: 18))
  }

  mutating func imageSize() throws(ImageDecodingError) -> PixelSize {
    let isSmall = try flag()
    let height = try side(isSmall: isSmall)
    // Width by height.
    let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
    let ratio = try bits(3)
    guard ratio > 0 else { return PixelSize(width: try side(isSmall: isSmall), height: height) }
    let (across, down) = ratios[ratio - 1]
    return PixelSize(width: height * across / down, height: height)
  }

  private mutating func side(isSmall: Bool) throws(ImageDecodingError) -> Int {
    if isSmall { return try (bits(5) + 1) * 8 }
    return try number(.bits(9, from: 1), .bits(13, from: 1), .bits(18, from: 1), .bits(30, from: 1))
  }

  mutating func skipPreviewSize() throws(ImageDecodingError) {
    let isSmall = try flag()
    try skipPreviewSide(isSmall: isSmall)
    if try bits(3) == 0 { try skipPreviewSide(isSmall: isSmall) }
  }

  private mutating func skipPreviewSide(isSmall: Bool) throws(ImageDecodingError) {
    _ =
      try isSmall
      ? number(.constant(16), .constant(32), .bits(5, from: 1), .bits(9, from: 33))
      : number(.bits(6, from: 1), .bits(8, from: 65), .bits(10, from: 321), .bits(12, from: 1345))
  }

  mutating func skipAnimation() throws(ImageDecodingError) {
    // Ticks per second, loops, and whether frames have time codes.
    _ = try number(.constant(100), .constant(1000), .bits(10, from: 1), .bits(30, from: 1))
    _ = try number(.constant(1), .constant(1001), .bits(8, from: 1), .bits(10, from: 1))
    _ = try number(.constant(0), .bits(3, from: 0), .bits(16, from: 0), .bits(32, from: 0))
    _ = try flag()
  }

  mutating func bitDepth() throws(ImageDecodingError) -> Int {
    guard try flag() else { return try number(.constant(8), .constant(10), .constant(12), .bits(6, from: 1)) }
    let depth = try number(.constant(32), .constant(16), .constant(24), .bits(6, from: 1))
    // The bits of the exponent.
    _ = try bits(4)
    return depth
  }

  /// The type of an extra channel, beyond the colour channels.
  mutating func extraChannel() throws(ImageDecodingError) -> Int {
    if try flag() { return Self.alphaChannel }
    let type = try enumeration()
    _ = try bitDepth()
    // The scale, and the name.
    _ = try number(.constant(0), .constant(3), .constant(4), .bits(3, from: 1))
    let nameByteCount = try number(.constant(0), .bits(4, from: 0), .bits(5, from: 16), .bits(10, from: 48))
    for _ in 0..<nameByteCount { _ = try bits(8) }
    switch type {
    // Whether the colours are premultiplied.
    case Self.alphaChannel: _ = try flag()
    case Self.spotColorChannel: for _ in 0..<4 { _ = try bits(16) }
    case Self.colorFilterChannel: _ = try number(.constant(1), .bits(2, from: 0), .bits(4, from: 3), .bits(8, from: 19))
    default: break
    }
    return type
  }

  mutating func colorEncoding() throws(ImageDecodingError) -> ColorEncoding {
    let (grey, xyb, sRGB, custom) = (1, 2, 1, 2)
    var encoding = ColorEncoding()
    if try flag() { return encoding }
    encoding.hasProfile = try flag()
    let space = try enumeration()
    encoding.isGrey = space == grey
    if encoding.hasProfile { return encoding }
    if space != xyb {
      if try enumeration() == custom { try skipChromaticities(1) }
      if space != grey {
        let primaries = try enumeration()
        encoding.isWide = primaries != sRGB
        if primaries == custom { try skipChromaticities(3) }
      }
    }
    // A gamma value, or a transfer function.
    if try flag() {
      _ = try bits(24)
    } else {
      encoding.transfer = HighDynamicRange.Transfer(rawValue: try enumeration())
    }
    return encoding
  }

  /// The flags of the first frame, which follows; `nil` if rare fields precede it.
  mutating func frameFlags(hasToneMapping: Bool, hasExtensions: Bool) throws(ImageDecodingError) -> Int? {
    if hasToneMapping, try !flag() {
      for count in [16, 16, 1, 16] { _ = try bits(count) }
    }
    if hasExtensions, try bits(2) != 0 { return nil }
    // Whether upsampling and the opsin transform have their defaults.
    guard try flag() else { return nil }
    position = (position + 7) & ~7
    // Whether all fields of the frame have their defaults.
    if try flag() { return 0 }
    // The type of the frame, and its encoding.
    _ = try bits(3)
    switch try bits(2) {
    case 0: return 0
    case 1: return try 1 + bits(4)
    case 2: return try 17 + bits(8)
    default: return try bits(12)
    }
  }

  private mutating func skipChromaticities(_ count: Int) throws(ImageDecodingError) {
    for _ in 0..<2 * count {
      _ = try number(.bits(19, from: 0), .bits(19, from: 1 << 19), .bits(20, from: 1 << 20), .bits(21, from: 1 << 21))
    }
  }
}
