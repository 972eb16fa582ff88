import Foundation
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
  /// Whether the default image is not a frame of the animation, and only programs without animations show it.
  var hidesDefaultImage = false
  /// The chunks before the image data that the pixels depend on.
  var essentialChunks: [PNGChunk] = []
  /// The position of the image data.
  var dataOffset = 0

  var hasAlpha: Bool { hasTransparentColor || colorType == .greyAlpha || colorType == .rgba }

  var info: ImageInfo {
    ImageInfo(
      format: .png, storedSize: size, orientation: orientation ?? .up, hasAlpha: hasAlpha, frameCount: frameCount,
      colorModel: colorModel, bitDepth: bitDepth, hasColorProfile: color.profile != nil,
      droppedContent: droppedContent, dynamicRange: color.highDynamicRange?.transfer.range ?? .standard)
  }

  private var droppedContent: Set<DroppedContent> {
    var dropped: Set<DroppedContent> = []
    if frameCount > 1 { dropped.insert(.frames) }
    if color.highDynamicRange != nil { dropped.insert(.highDynamicRange) }
    return dropped
  }

  var isGrey: Bool { colorType == .grey || colorType == .greyAlpha }

  var bitsPerPixel: Int {
    switch colorType {
    case .grey, .palette: bitDepth
    case .greyAlpha: bitDepth * 2
    case .rgb: bitDepth * 3
    case .rgba: bitDepth * 4
    }
  }

  private var colorModel: ColorModel {
    switch colorType {
    case .grey, .greyAlpha: .grey
    case .rgb, .rgba: .rgb
    case .palette: .palette
    }
  }
}

extension PNGHeader {
  /// The file up to its image data, without the chunks that its pixels do not depend on.
  ///
  /// Codecs reject files because of such chunks, or spend memory on them. A palette that is too long for the bit depth,
  /// and transparency that is too long for the palette or the colour, are shortened.
  func leadingBytes(of file: UnsafeRawBufferPointer) -> Data {
    let bytes = Bytes(file)
    var output = Data(file[..<8])
    for chunk in essentialChunks {
      let limit =
        switch chunk.name {
        case "PLTE" where chunk.content.count <= 768 && chunk.content.count % 3 == 0: 3 << bitDepth
        case "tRNS": transparencyByteCount ?? min(paletteCount, 1 << bitDepth)
        default: Int.max
        }
      if chunk.content.count > limit, chunk.isIntact(in: bytes) {
        output += PNGChunk.encoded(chunk.name, bytes[chunk.content][0..<limit].data)
      } else {
        output.append(contentsOf: file[chunk.range])
      }
    }
    return output
  }

  /// The size of the colour that is transparent; `nil` for a palette, whose first colours have a byte each.
  fileprivate var transparencyByteCount: Int? {
    switch colorType {
    case .grey: 2
    case .rgb: 6
    case .palette: nil
    case .greyAlpha, .rgba: Int.max
    }
  }

  /// The number of colours of the palette so far.
  fileprivate var paletteCount: Int { (essentialChunks.first { $0.name == "PLTE" }?.content.count ?? 0) / 3 }
}

/// Parses the chunks of a PNG file (ISO/IEC 15948, 5.3) up to its image data.
struct PNGHeaderParser {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let lengthLimit = 0x7FFF_FFFF
  /// The most chunks before the image data, as in libpng; files have up to 30.
  private static let chunkLimit = 1000

  private let bytes: Bytes
  private var header = PNGHeader()
  private var parts = HeaderParts(.png, limit: chunkLimit)
  private var hasFrameControl = false

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
    while let length = bytes.unsigned32(at: offset), let type = bytes.text(at: offset + 4, count: 4) {
      try parts.add()
      guard length <= Self.lengthLimit else { throw .corrupt(.png, reason: "a chunk has length \(length)") }
      if offset == Self.signature.count, type != "IHDR" {
        throw .corrupt(.png, reason: "its first chunk is \(type), not IHDR")
      }
      if type == "IDAT" {
        header.dataOffset = offset
        return true
      }
      if type == "IEND" { throw .corrupt(.png, reason: "it has no image data") }
      let content = bytes[offset + 8..<offset + 8 + length]
      guard content.count == length, bytes.count >= offset + 12 + length else { return false }
      try readChunk(PNGChunk(name: type, content: offset + 8..<offset + 8 + length))
      offset += 12 + length
    }
    return false
  }

  /// Ancillary chunks with a wrong checksum are skipped, as in browsers.
  private mutating func readChunk(_ chunk: PNGChunk) throws(ImageDecodingError) {
    let content = bytes[chunk.content]
    switch chunk.name {
    case "IHDR":
      try readHeader(content)
      header.essentialChunks.append(chunk)
    case "PLTE":
      // For other colour types a palette is only a suggestion.
      if header.colorType == .palette { header.essentialChunks.append(chunk) }
    case "tRNS" where !header.hasTransparentColor && canApplyTransparency(content) && chunk.isIntact(in: bytes):
      header.hasTransparentColor = true
      header.essentialChunks.append(chunk)
    case let name where PNGColor.chunkNames.contains(name):
      guard chunk.isIntact(in: bytes) else { return }
      header.color.readChunk(content, of: chunk.name, at: chunk.content.lowerBound)
    case "eXIf" where header.orientation == nil && chunk.isIntact(in: bytes):
      header.orientation = ExifData(content)?.orientation
    case "acTL" where chunk.isIntact(in: bytes):
      // With another number of frames, it is no animation.
      guard let count = content.unsigned32(at: 0), (1...Self.lengthLimit).contains(count) else { return }
      header.frameCount = count
      header.hidesDefaultImage = !hasFrameControl
    case "fcTL" where chunk.isIntact(in: bytes):
      hasFrameControl = true
      header.hidesDefaultImage = false
    case _ where chunk.isCritical: header.essentialChunks.append(chunk)
    default: break
    }
  }

  /// Whether transparency fits the colour type, and a palette comes before it. It is skipped otherwise, as in browsers.
  private func canApplyTransparency(_ content: Bytes) -> Bool {
    content.count > 0 && header.transparencyByteCount.map { content.count >= $0 } ?? (header.paletteCount > 0)
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
