import HalcyonImaging

/// Iterates over the frames of a GIF file (GIF89a, 1990) by its blocks, without decompressing them.
struct GIFBlocks {
  enum Step {
    case frame(GIFFrame)
    /// The trailer, or an unknown block, which browsers treat as the end.
    case end
    /// The bytes end inside a block.
    case moreBytesNeeded
  }

  private static let headerByteCount = 13
  private static let graphicControlLabel: UInt8 = 0xF9

  /// The logical screen that the file states; see ``GIFHeader/canvas``.
  private(set) var screen: PixelSize
  /// The global colour table, three bytes per colour.
  private(set) var palette: Range<Int>?
  /// The number of times the animation plays; `nil` for endless.
  private(set) var loopCount: Int? = 1

  private let bytes: Bytes
  private var offset: Int
  private var next = GIFFrame()
  /// The last frame returned, if `offset` is still at its image data.
  private(set) var frameAtData: GIFFrame?

  /// Starts at the first block; `nil` if the bytes end before it.
  init?(_ bytes: Bytes) throws(ImageDecodingError) {
    guard bytes.starts(with: "GIF8".utf8.prefix(bytes.count)) else {
      throw .corrupt(.gif, reason: "its signature is wrong")
    }
    guard let width = bytes.unsigned16(at: 6, littleEndian: true),
      let height = bytes.unsigned16(at: 8, littleEndian: true), let flags = bytes[10]
    else { return nil }
    self.bytes = bytes
    screen = PixelSize(width: width, height: height)
    palette = Self.palette(flags, at: Self.headerByteCount)
    offset = palette?.upperBound ?? Self.headerByteCount
  }

  /// Moves to the next frame.
  mutating func step() -> Step {
    if frameAtData != nil {
      guard let end = endOfSubBlocks(from: offset + 1) else { return .moreBytesNeeded }
      offset = end
      frameAtData = nil
    }
    while let introducer = bytes[offset] {
      switch introducer {
      case 0x21:
        guard readExtension() else { return .moreBytesNeeded }
      case 0x2C:
        return readFrame()
      default:
        return .end
      }
    }
    // Files without the trailer byte are common.
    return offset == bytes.count ? .end : .moreBytesNeeded
  }

  /// Whether the bytes end inside an extension that announces no frame, such as a comment, so that no pixel is known to be
  /// missing.
  var endsInComment: Bool {
    frameAtData == nil && bytes[offset] == 0x21 && (bytes[offset + 1].map { $0 != Self.graphicControlLabel } ?? false)
  }

  private static func palette(_ flags: UInt8, at offset: Int) -> Range<Int>? {
    flags & 0x80 == 0 ? nil : offset..<offset + 3 << (Int(flags & 7) + 1)
  }

  private mutating func readFrame() -> Step {
    guard let left = bytes.unsigned16(at: offset + 1, littleEndian: true),
      let top = bytes.unsigned16(at: offset + 3, littleEndian: true),
      let width = bytes.unsigned16(at: offset + 5, littleEndian: true),
      let height = bytes.unsigned16(at: offset + 7, littleEndian: true), let flags = bytes[offset + 9]
    else { return .moreBytesNeeded }
    var frame = next
    frame.area = PixelArea(left: left, top: top, width: width, height: height)
    frame.palette = Self.palette(flags, at: offset + 10)
    frame.isInterlaced = flags & 0x40 != 0
    frame.dataOffset = frame.palette?.upperBound ?? offset + 10
    next = GIFFrame()
    offset = frame.dataOffset
    frameAtData = frame
    return .frame(frame)
  }

  /// Returns `false` if the bytes end inside the extension.
  private mutating func readExtension() -> Bool {
    guard let label = bytes[offset + 1], let end = endOfSubBlocks(from: offset + 2) else { return false }
    if label == Self.graphicControlLabel { readControl(at: offset + 2) }
    if label == 0xFF { readApplication(at: offset + 2) }
    offset = end
    return true
  }

  private mutating func readControl(at offset: Int) {
    guard bytes[offset] == 4, let flags = bytes[offset + 1],
      let delay = bytes.unsigned16(at: offset + 2, littleEndian: true), let transparent = bytes[offset + 4]
    else { return }
    // 4 is not in the standard; encoders that write it mean 3.
    next.disposal = [2: .clear, 3: .restore, 4: .restore][flags >> 2 & 7] ?? .keep
    next.hundredths = delay
    next.transparentIndex = flags & 1 == 1 ? transparent : nil
  }

  /// Reads the Netscape extension, which counts repetitions: one less than the number of plays.
  private mutating func readApplication(at offset: Int) {
    let content = bytes[min(offset, bytes.count)..<bytes.count]
    guard content.starts(with: [11] + "NETSCAPE2.0".utf8) || content.starts(with: [11] + "ANIMEXTS1.0".utf8),
      let byteCount = content[12], byteCount >= 3, content[13] == 1,
      let repetitions = content.unsigned16(at: 14, littleEndian: true)
    else { return }
    loopCount = repetitions == 0 ? nil : repetitions + 1
  }

  private func endOfSubBlocks(from start: Int) -> Int? {
    var offset = start
    while let byteCount = bytes[offset] {
      offset += 1 + Int(byteCount)
      if byteCount == 0 { return offset }
    }
    return nil
  }
}
