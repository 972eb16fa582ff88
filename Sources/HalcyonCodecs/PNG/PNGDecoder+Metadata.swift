package import HalcyonImaging
package import Foundation

extension PNGDecoder {
  /// Reads all chunks: Exif and XMP may follow the image data.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try PNGHeaderParser.parse(Bytes(buffer)) else { throw ImageDecodingError.truncated(.png) }
      var metadata = ImageMetadata(
        info: header.info, colorSpace: header.color.hint?.rawValue, hasWideGamut: header.color.isWide(in: buffer),
        transferFunction: header.color.highDynamicRange?.transfer.name, isProgressive: header.isInterlaced)
      var texts = PNGMetadataChunks()
      try texts.read(buffer)
      (metadata.artist, metadata.copyright) = (texts.author, texts.copyright)
      if let profile = header.color.profile {
        texts.blocks.colorProfile = PNGColor.inflated(UnsafeRawBufferPointer(rebasing: buffer[profile]))
      }
      try metadata.add(texts.blocks)
      if header.frameCount > 1 { metadata.duration = texts.duration }
      return metadata
    }
  }
}

/// The metadata in the chunks of a PNG file.
private struct PNGMetadataChunks {
  static let xmpKeyword = "XML:com.adobe.xmp"
  private static let names: Set = ["eXIf", "iTXt", "tEXt", "zTXt", "fcTL"]
  /// The keywords under which ImageMagick stores Exif data as hexadecimal text.
  private static let exifKeywords = ["Raw profile type exif", "Raw profile type APP1"]
  private static let profileByteLimit = 4 << 20

  var blocks = MetadataBlocks()
  var author: String?
  var copyright: String?
  /// Whether there was an XMP packet, which may have been damaged.
  private var hasPacket = false
  /// The text of a raw profile with Exif data, which an `eXIf` chunk overrides.
  private var profile: Data?
  /// The sum of the durations of all frames.
  var duration = Duration.zero

  mutating func read(_ file: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    let bytes = Bytes(file)
    var (chunks, parts) = (PNGChunks(bytes), HeaderParts(.png, limit: .max))
    while let chunk = chunks.next() {
      try parts.add()
      guard Self.names.contains(chunk.name), chunk.isIntact(in: bytes) else { continue }
      let content = bytes[chunk.content]
      switch chunk.name {
      case "eXIf": blocks.setExif(content)
      case "iTXt": readInternationalText(content)
      case "tEXt": readText(content)
      case "zTXt": readCompressedText(content)
      case "fcTL": duration += (try? APNGFrameControl(content).duration).map(FrameDuration.displayed) ?? .zero
      default: break
      }
    }
    if blocks.exif == nil, let exif = profile.flatMap({ Self.profile($0) }) {
      exif.withUnsafeBytes { blocks.setExif(Bytes($0)) }
    }
  }

  private mutating func readText(_ content: Bytes) {
    for keyword in Self.exifKeywords { profile = profile ?? content.text(after: keyword + "\0")?.data }
    if let text = content.text(after: "Author\0") { author = author ?? MetadataText.text(text) }
    if let text = content.text(after: "Copyright\0") { copyright = copyright ?? MetadataText.text(text) }
  }

  /// A keyword, the compression method, and the compressed text.
  private mutating func readCompressedText(_ content: Bytes) {
    for keyword in Self.exifKeywords where profile == nil {
      guard let rest = content.text(after: keyword + "\0"), rest[0] == 0 else { continue }
      // A damaged one is no reason to inflate the next one.
      let content = InflatedContent(of: rest[1..<rest.count].data, .zlib, byteLimit: Self.profileByteLimit)
      profile = content.whole ?? Data()
    }
  }

  /// The bytes of a raw profile: after its name and its length in decimal, two hexadecimal digits each, with line breaks.
  private static func profile(_ text: Data) -> Data? {
    var words = text.split { $0 == 0x0A || $0 == 0x20 || $0 == 0x0D }.dropFirst()
    guard let length = words.popFirst().flatMap({ Int(String(decoding: $0, as: UTF8.self)) }), length > 0 else {
      return nil
    }
    let digits = words.joined().compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count / 2 >= length else { return nil }
    return Data((0..<length).map { UInt8(digits[$0 * 2] << 4 | digits[$0 * 2 + 1]) })
  }

  /// A keyword, whether and how the text is compressed, two more texts that end with null bytes, and the text.
  private mutating func readInternationalText(_ content: Bytes) {
    guard !hasPacket, let rest = content.text(after: Self.xmpKeyword + "\0"), let isCompressed = rest[0] else {
      return
    }
    hasPacket = true
    var offset = 2
    for _ in 0..<2 {
      while let byte = rest[offset], byte != 0 { offset += 1 }
      offset += 1
    }
    guard offset < rest.count else { return }
    let text = rest[offset..<rest.count].data
    blocks.xmp = isCompressed == 0 ? text : InflatedContent(of: text, .zlib, byteLimit: XMPPacket.byteLimit).whole
  }
}

extension Bytes {
  /// The bytes after a prefix; `nil` if they do not start with it.
  fileprivate func text(after prefix: String) -> Bytes? {
    starts(with: prefix.utf8) ? self[prefix.utf8.count..<count] : nil
  }
}
