import HalcyonImaging

/// The chunks before the image data of a PNG file.
struct PNGHeader {
  /// The colour types of ISO/IEC 15948, table 11.1.
  enum ColorType: UInt8 {
    case grey = 0
    case rgb = 2
    case palette = 3
    case greyAlpha = 4
    case rgba = 6
  }

  var size = PixelSize(width: 0, height: 0)
  var bitDepth = 0
  var colorType = ColorType.rgb
  var isInterlaced = false
  var hasTransparentColor = false
  var orientation: ImageOrientation?
  var color = PNGColor()
  var frameCount = 1

  var hasAlpha: Bool { hasTransparentColor || colorType == .greyAlpha || colorType == .rgba }

  var info: ImageInfo {
    ImageInfo(
      format: .png, storedSize: size, orientation: orientation ?? .up, hasAlpha: hasAlpha, frameCount: frameCount,
      colorModel: colorModel, bitDepth: bitDepth, hasColorProfile: color.profile != nil,
      droppedContent: frameCount > 1 ? [.frames] : [])
  }

  var isGrey: Bool { colorType == .grey || colorType == .greyAlpha }

  private var colorModel: ColorModel {
    switch colorType {
    case .grey, .greyAlpha: .grey
    case .rgb, .rgba: .rgb
    case .palette: .palette
    }
  }
}

/// Parses the chunks of a PNG file (ISO/IEC 15948, 5.3) up to its image data.
struct PNGHeaderParser {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let lengthLimit = 0x7FFF_FFFF

  private let bytes: Bytes
  private var header = PNGHeader()

  /// The header, or `nil` if the bytes end before the image data.
  static func parse(_ bytes: Bytes) throws(ImageDecodingError) -> PNGHeader? {
    let signature = signature.prefix(bytes.count)
    guard bytes.starts(with: signature) else { throw .corrupt(.png, reason: "its signature is wrong") }
    var parser = PNGHeaderParser(bytes: bytes)
    return try parser.parseChunks() ? parser.header : nil
  }

  private init(bytes: Bytes) {
    self.bytes = bytes
  }

  /// Returns whether the image data was reached.
  private mutating func parseChunks() throws(ImageDecodingError) -> Bool {
    var offset = Self.signature.count
    while let length = bytes.unsigned32(at: offset), bytes.count >= offset + 8 {
      guard length <= Self.lengthLimit else { throw .corrupt(.png, reason: "a chunk has length \(length)") }
      let type = name(at: offset + 4)
      if offset == Self.signature.count, type != "IHDR" {
        throw .corrupt(.png, reason: "its first chunk is \(type), not IHDR")
      }
      if type == "IDAT" { return true }
      if type == "IEND" { throw .corrupt(.png, reason: "it has no image data") }
      let content = bytes[offset + 8..<offset + 8 + length]
      guard content.count == length, bytes.count >= offset + 12 + length else { return false }
      try readChunk(content, of: type, at: offset + 8)
      offset += 12 + length
    }
    return false
  }

  private func name(at offset: Int) -> String {
    String(decoding: (0..<4).compactMap { bytes[offset + $0] }, as: UTF8.self)
  }

  private mutating func readChunk(
    _ content: Bytes, of type: String, at contentStart: Int
  ) throws(ImageDecodingError) {
    switch type {
    case "IHDR": try readHeader(content)
    case "tRNS": header.hasTransparentColor = true
    case "iCCP", "sRGB", "gAMA", "cHRM", "cICP": header.color.readChunk(content, of: type, at: contentStart)
    case "eXIf": header.orientation = header.orientation ?? ImageOrientation(exif: content)
    case "acTL": header.frameCount = max(1, content.unsigned32(at: 0) ?? 1)
    default: break
    }
  }

  private mutating func readHeader(_ content: Bytes) throws(ImageDecodingError) {
    guard let width = content.unsigned32(at: 0), let height = content.unsigned32(at: 4),
      let depth = content[8], let color = content[9], let interlace = content[12]
    else { throw .corrupt(.png, reason: "its header is too short") }
    guard let colorType = PNGHeader.ColorType(rawValue: color) else {
      throw .corrupt(.png, reason: "its colour type is \(color)")
    }
    guard [1, 2, 4, 8, 16].contains(depth) else { throw .corrupt(.png, reason: "its bit depth is \(depth)") }
    header.size = PixelSize(width: width, height: height)
    header.bitDepth = Int(depth)
    header.colorType = colorType
    header.isInterlaced = interlace == 1
  }
}
