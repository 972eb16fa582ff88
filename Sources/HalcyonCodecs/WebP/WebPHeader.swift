import HalcyonImaging
import CWebP

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

/// Walks over the chunks of a WebP file.
struct WebPHeaderParser {
  private enum Flag {
    static let animation: UInt8 = 0x02
    static let exif: UInt8 = 0x08
    static let alpha: UInt8 = 0x10
  }

  private static let riffByteCount = 12
  /// Position, size, duration and flags of a picture.
  private static let pictureHeaderByteCount = 16

  private let bytes: UnsafeRawBufferPointer
  private let view: Bytes
  private var header = WebPHeader()
  private var flags: UInt8 = 0
  private var hasPicture = false

  /// The header, or `nil` when the bytes end before the first picture, or before an orientation that is announced.
  ///
  /// - Parameter isComplete: Whether the bytes are the whole file, which then has to be as long as it claims.
  static func parse(_ bytes: UnsafeRawBufferPointer, isComplete: Bool) throws(ImageDecodingError) -> WebPHeader? {
    var parser = WebPHeaderParser(bytes)
    guard try parser.walk(isComplete: isComplete) else {
      if isComplete { throw .truncated(.webp) }
      return nil
    }
    return parser.header
  }

  private init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    view = Bytes(bytes)
  }

  /// `false` when more bytes are needed.
  private mutating func walk(isComplete: Bool) throws(ImageDecodingError) -> Bool {
    guard let riffByteCount = view.unsigned32(at: 4, littleEndian: true), view.count >= Self.riffByteCount else {
      return false
    }
    let end = 8 + riffByteCount
    if isComplete, end > view.count { return false }
    var offset = Self.riffByteCount
    while offset + 8 <= min(end, view.count), let byteCount = view.unsigned32(at: offset + 4, littleEndian: true) {
      let content = offset + 8..<offset + 8 + byteCount
      guard try take(name(at: offset), content, chunk: offset) else { return false }
      offset = content.upperBound + byteCount % 2
    }
    if isComplete, !hasPicture { throw .corrupt(.webp, reason: "it holds no picture") }
    let needsExif = flags & Flag.exif != 0 && header.orientation == nil
    return hasPicture && (isComplete || !needsExif)
  }

  private func name(at offset: Int) -> String {
    String(decoding: (0..<4).compactMap { view[offset + $0] }, as: UTF8.self)
  }

  /// `false` when the bytes end before what has to be known.
  private mutating func take(
    _ name: String, _ content: Range<Int>, chunk: Int
  ) throws(ImageDecodingError) -> Bool {
    switch name {
    case "VP8X": return readExtended(content)
    case "ICCP": header.profile = header.profile ?? content
    case "ANIM": header.loopCount = view.unsigned16(at: content.lowerBound + 4, littleEndian: true) ?? 0
    case "ANMF": return readPicture(content)
    case "EXIF": readOrientation(content)
    case "ALPH" where !header.isAnimated: header.hasAlpha = true
    case "VP8 " where !header.isAnimated, "VP8L" where !header.isAnimated:
      guard !hasPicture else { return true }
      header.isLossless = name == "VP8L"
      return flags == 0 && header.canvas.width == 0 ? try readFeatures() : hasStarted()
    default: break
    }
    return true
  }

  private mutating func hasStarted() -> Bool {
    hasPicture = true
    return true
  }

  private mutating func readExtended(_ content: Range<Int>) -> Bool {
    guard let flags = view[content.lowerBound], let width = unsigned24(content.lowerBound + 4),
      let height = unsigned24(content.lowerBound + 7)
    else { return false }
    self.flags = flags
    header.canvas = PixelSize(width: width + 1, height: height + 1)
    header.hasAlpha = flags & Flag.alpha != 0
    header.isAnimated = flags & Flag.animation != 0
    return true
  }

  /// The size of a file that is one picture and no more, as libwebp reads it.
  private mutating func readFeatures() throws(ImageDecodingError) -> Bool {
    var features = WebPBitstreamFeatures()
    let status = WebPGetFeatures(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &features)
    if status == VP8_STATUS_NOT_ENOUGH_DATA { return false }
    guard status == VP8_STATUS_OK else { throw .corrupt(.webp, reason: "its picture has no valid header") }
    header.canvas = PixelSize(width: Int(features.width), height: Int(features.height))
    header.hasAlpha = features.has_alpha != 0
    return hasStarted()
  }

  private mutating func readPicture(_ content: Range<Int>) -> Bool {
    let start = content.lowerBound
    guard header.isAnimated else { return true }
    let chunks = start + Self.pictureHeaderByteCount
    guard let x = unsigned24(start), let y = unsigned24(start + 3), let width = unsigned24(start + 6),
      let height = unsigned24(start + 9), view.count >= chunks + 4
    else { return false }
    header.pictureCount += 1
    guard header.first == nil else { return true }
    let area = PixelArea(x: x * 2, y: y * 2, size: PixelSize(width: width + 1, height: height + 1))
    header.first = (area, chunks..<max(chunks, content.upperBound))
    header.isLossless = name(at: chunks) == "VP8L"
    return hasStarted()
  }

  private mutating func readOrientation(_ content: Range<Int>) {
    guard content.upperBound <= view.count else { return }
    let exif = view[content]
    // The prefix of JPEG files does not belong here and is found all the same.
    let prefix = Array("Exif\0\0".utf8)
    let tiff = exif.starts(with: prefix) ? exif[prefix.count..<exif.count] : exif
    header.orientation = header.orientation ?? ImageOrientation(exif: tiff) ?? .up
  }

  private func unsigned24(_ offset: Int) -> Int? {
    guard let low = view.unsigned16(at: offset, littleEndian: true), let high = view[offset + 2] else { return nil }
    return Int(high) << 16 | low
  }
}
