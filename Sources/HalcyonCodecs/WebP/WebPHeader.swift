import Foundation
import HalcyonImaging

/// The chunks of a WebP file (RFC 9649), or of its beginning.
struct WebPHeader {
  var canvas = PixelSize(width: 0, height: 0)
  var hasAlpha = false
  /// Whether a still image has a chunk of alpha, which the header can deny.
  var hasAlphaChunk = false
  var isLossless = false
  var isAnimated = false
  /// The number of frames in the bytes; 0 for a still image.
  var frameCount = 0
  /// The number of times the animation plays; 0 for endless, as in the file.
  var loopCount = 0
  var profile: Range<Int>?
  var orientation: ImageOrientation?
  /// The first frame of an animation: its area on the canvas, and its chunks.
  var firstFrame: (area: PixelArea, range: Range<Int>)?

  /// Whether the image data of an opaque image may have alpha, which is ignored as in browsers.
  var mayDenyAlpha: Bool { !hasAlpha && (isLossless || hasAlphaChunk) }

  /// The source colour space; `nil` for sRGB.
  func description(in file: UnsafeRawBufferPointer) -> ColorDescription? {
    profile.map { .profile(Data(file[$0.clamped(to: 0..<file.count)])) }
  }

  var info: ImageInfo {
    ImageInfo(
      format: .webp, storedSize: canvas, orientation: orientation ?? .up, hasAlpha: hasAlpha,
      frameCount: max(1, frameCount), colorModel: isLossless ? .rgb : .yCbCr, hasColorProfile: profile != nil,
      droppedContent: frameCount > 1 ? [.frames] : [])
  }
}

/// Parses the chunks of a WebP file.
struct WebPHeaderParser {
  private enum Flag {
    static let animation: UInt8 = 0x02
    static let exif: UInt8 = 0x08
    static let alpha: UInt8 = 0x10
  }

  /// The most chunks that are not frames; files have up to eight.
  private static let chunkLimit = 1000
  private static let riffHeaderByteCount = 12

  private let view: Bytes
  private let isPartial: Bool
  private var header = WebPHeader()
  private var flags: UInt8 = 0
  private var hasImage = false

  /// The header, or `nil` if the bytes end before the first image data, or before an Exif chunk that is announced.
  ///
  /// - Parameters:
  ///   - isComplete: Whether the bytes are the whole file, which then must not be shorter than it states.
  ///   - isPartial: Whether it may be shorter, as long as its image has begun; only whole frames follow the first then.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, isComplete: Bool, isPartial: Bool = false
  ) throws(ImageDecodingError) -> WebPHeader? {
    var parser = WebPHeaderParser(bytes, isPartial: isPartial)
    guard try parser.parseChunks(isComplete: isComplete) else {
      if isComplete { throw .truncated(.webp) }
      return nil
    }
    return parser.header
  }

  /// An animation that is cut, without what follows its last whole frame; any other file as it is.
  static func wholeFrames(of file: Data) -> Data {
    file.withUnsafeBytes { buffer in
      let view = Bytes(buffer)
      guard let riffByteCount = view.unsigned32(at: 4, littleEndian: true), 8 + riffByteCount > view.count else {
        return file
      }
      var (chunks, end) = (WebPChunks(view), 0)
      while let chunk = chunks.next() { if chunk.name == "ANMF" { end = min(chunks.offset, view.count) } }
      guard end > 0 else { return file }
      var whole = Data(buffer[..<end])
      withUnsafeBytes(of: UInt32(end - 8).littleEndian) { whole.replaceSubrange(4..<8, with: $0) }
      return whole
    }
  }

  private init(_ bytes: UnsafeRawBufferPointer, isPartial: Bool) {
    view = Bytes(bytes)
    self.isPartial = isPartial
  }

  /// Returns `false` if more bytes are needed.
  private mutating func parseChunks(isComplete: Bool) throws(ImageDecodingError) -> Bool {
    guard let riffByteCount = view.unsigned32(at: 4, littleEndian: true), view.count >= Self.riffHeaderByteCount else {
      return false
    }
    let end = 8 + riffByteCount
    let isCut = isComplete && end > view.count
    var imageEnd = Int.max
    var offset = Self.riffHeaderByteCount
    var (chunkCount, parts) = (0, HeaderParts(.webp, limit: .max))
    while offset + 8 <= end, let name = view.text(at: offset, count: 4),
      let byteCount = view.unsigned32(at: offset + 4, littleEndian: true)
    {
      let content = offset + 8..<offset + 8 + byteCount
      chunkCount += 1
      try parts.add()
      // Chunks can be empty, and are read again with every piece that is received.
      guard chunkCount - header.frameCount <= Self.chunkLimit else {
        throw .unsupportedFeature(.webp, feature: "over \(Self.chunkLimit) chunks besides its frames")
      }
      let hadImage = hasImage
      guard try readChunk(name, content) else { return false }
      if hasImage, !hadImage { imageEnd = content.upperBound }
      offset = content.upperBound + byteCount % 2
    }
    let needsExif = flags & Flag.exif != 0 && header.orientation == nil
    // A still image is whole without its padding byte, and without the chunks after it except its orientation.
    let isSound = !header.isAnimated && imageEnd <= view.count && !needsExif
    if isCut, !isSound, !(isPartial && hasImage) { return false }
    if isComplete, !hasImage { throw .corrupt(.webp, reason: "it has no image") }
    return hasImage && (isComplete || !needsExif)
  }

  /// Returns `false` if the bytes end before the fields that are needed.
  private mutating func readChunk(_ name: String, _ content: Range<Int>) throws(ImageDecodingError) -> Bool {
    switch name {
    case "VP8X": return try readExtended(content)
    case "ICCP": header.profile = header.profile ?? content
    case "ANIM": header.loopCount = view.unsigned16(at: content.lowerBound + 4, littleEndian: true) ?? 0
    case "ANMF": return readFrame(content)
    case "EXIF": readOrientation(content)
    case "ALPH" where !header.isAnimated: header.hasAlphaChunk = true
    case "VP8 " where !header.isAnimated, "VP8L" where !header.isAnimated:
      guard !hasImage else { return true }
      header.isLossless = name == "VP8L"
      return flags == 0 && header.canvas.width == 0 ? try readFeatures(content) : startImage()
    default: break
    }
    return true
  }

  private mutating func startImage() -> Bool {
    hasImage = true
    return true
  }

  private mutating func readExtended(_ content: Range<Int>) throws(ImageDecodingError) -> Bool {
    guard let flags = view[content.lowerBound], let width = view.unsigned24(at: content.lowerBound + 4),
      let height = view.unsigned24(at: content.lowerBound + 7)
    else { return false }
    self.flags = flags
    let canvas = PixelSize(width: width + 1, height: height + 1)
    guard header.canvas.width == 0 || header.canvas == canvas else {
      throw .corrupt(.webp, reason: "it states conflicting sizes")
    }
    header.canvas = canvas
    header.hasAlpha = flags & Flag.alpha != 0
    header.isAnimated = flags & Flag.animation != 0
    return true
  }

  /// Reads the size of a file in the simple format from its bitstream (RFC 6386, 9.1; RFC 9649, 3.4).
  private mutating func readFeatures(_ content: Range<Int>) throws(ImageDecodingError) -> Bool {
    let start = content.lowerBound
    let byteCount = header.isLossless ? 5 : 10
    guard let first = view[start], view[start + byteCount - 1] != nil else {
      if content.count < byteCount { throw .corrupt(.webp, reason: "its bitstream header is invalid") }
      return false
    }
    if header.isLossless {
      guard first == 0x2F, let bits = view.bits32(at: start + 1, littleEndian: true), bits >> 29 == 0 else {
        throw .corrupt(.webp, reason: "its bitstream header is invalid")
      }
      header.canvas = PixelSize(width: Int(bits & 0x3FFF) + 1, height: Int(bits >> 14 & 0x3FFF) + 1)
      header.hasAlpha = bits >> 28 & 1 == 1
    } else {
      let isShownKeyFrame = first & 1 == 0 && first >> 4 & 1 == 1
      guard isShownKeyFrame, view[start + 3..<start + 6].starts(with: [0x9D, 0x01, 0x2A]),
        let width = view.unsigned16(at: start + 6, littleEndian: true),
        let height = view.unsigned16(at: start + 8, littleEndian: true), width & 0x3FFF > 0, height & 0x3FFF > 0
      else { throw .corrupt(.webp, reason: "its bitstream header is invalid") }
      header.canvas = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
    }
    return startImage()
  }

  private mutating func readFrame(_ content: Range<Int>) -> Bool {
    guard header.isAnimated else { return true }
    guard let frame = WebPFrame(content, in: view), view.count >= frame.chunks.lowerBound + 4 else { return false }
    if isPartial, header.firstFrame != nil, content.upperBound > view.count { return true }
    header.frameCount += 1
    // The canvas is transparent where there is no frame, whatever the header says.
    if frame.disposal == .clear || header.frameCount == 1 && !frame.area.covers(header.canvas) {
      header.hasAlpha = true
    }
    guard header.firstFrame == nil else { return true }
    header.firstFrame = (frame.area, frame.chunks)
    header.isLossless = view.text(at: frame.chunks.lowerBound, count: 4) == "VP8L"
    return startImage()
  }

  private mutating func readOrientation(_ content: Range<Int>) {
    guard content.upperBound <= view.count else { return }
    let exif = view[content]
    // The prefix that Exif has in JPEG files is not allowed here, but occurs.
    let prefix = Array("Exif\0\0".utf8)
    let tiff = exif.starts(with: prefix) ? exif[prefix.count..<exif.count] : exif
    if let exif = ExifData(tiff) { header.orientation = header.orientation ?? exif.orientation ?? .up }
  }
}
