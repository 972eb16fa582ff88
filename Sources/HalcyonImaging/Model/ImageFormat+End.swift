public import Foundation

extension ImageFormat {
  /// Whether the structure of a file of this format says that it goes on after its last byte.
  ///
  /// Reads no pixels. A file may lack only what follows its pixels, so that a decoder decides. False for formats that say
  /// nothing about their end.
  @_spi(Programs) public func lacksEnd(_ file: Data) -> Bool {
    file.withUnsafeBytes { file in
      switch self {
      case .jpeg: FileStructure.lacksEndOfJPEG(file)
      case .png: FileStructure.lacksEndOfPNG(file)
      case .gif: FileStructure.lacksEndOfGIF(file)
      case .webp: FileStructure.number(file, at: 4, 4, isBigEndian: false).map { $0 > file.count - 8 } ?? true
      case .bmp: FileStructure.lacksRowsOfBMP(file)
      case .ico: FileStructure.lacksImageOfICO(file)
      case .tiff: FileStructure.lacksStripOfTIFF(file)
      case .avif, .heic: FileStructure.lacksEndOfBoxes(file)
      case .jpegXL: file.first == 0 && FileStructure.lacksEndOfBoxes(file)
      case .svg: FileStructure.lacksEndOfXML(file)
      case .custom: false
      }
    }
  }
}

/// How files are divided into parts. Lengths are compared with what is left of a file, since sums of them may overflow.
private enum FileStructure {
  /// An unsigned number; `nil` after the end of the file, or over `Int.max`.
  static func number(
    _ file: UnsafeRawBufferPointer, at offset: Int, _ byteCount: Int, isBigEndian: Bool
  ) -> Int? {
    guard offset >= 0, offset <= file.count - byteCount else { return nil }
    let bytes = file[offset..<(offset + byteCount)]
    let number =
      isBigEndian
      ? bytes.reduce(0) { $0 << 8 | UInt64($1) } : bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    return Int(exactly: number)
  }

  /// Searches for the marker EOI behind the first scan, unless the file ends with one.
  static func lacksEndOfJPEG(_ file: UnsafeRawBufferPointer) -> Bool {
    if file.suffix(2).elementsEqual([0xFF, 0xD9]) { return false }
    var offset = 2
    while offset + 1 < file.count {
      guard file[offset] == 0xFF else {
        // Data of a scan, up to the next marker.
        guard let base = file.baseAddress, let next = memchr(base + offset, 0xFF, file.count - offset) else {
          return true
        }
        offset = base.distance(to: UnsafeRawPointer(next))
        continue
      }
      switch file[offset + 1] {
      case 0xD9: return false
      case 0xFF: offset += 1
      case 0, 0x01, 0xD0...0xD8: offset += 2
      default: offset += 2 + (number(file, at: offset + 2, 2, isBigEndian: true) ?? file.count)
      }
    }
    return true
  }

  static func lacksEndOfPNG(_ file: UnsafeRawBufferPointer) -> Bool {
    var offset = 8
    while let length = number(file, at: offset, 4, isBigEndian: true), length <= file.count - offset - 12 {
      if file[(offset + 4)..<(offset + 8)].elementsEqual("IEND".utf8) { return false }
      offset += 12 + length
    }
    return true
  }

  static func lacksEndOfGIF(_ file: UnsafeRawBufferPointer) -> Bool {
    /// The bytes of the colours that a descriptor announces.
    func colors(_ offset: Int) -> Int {
      guard offset < file.count, file[offset] & 0x80 != 0 else { return 0 }
      return 3 << (Int(file[offset] & 7) + 1)
    }
    var offset = 13 + colors(10)
    while offset < file.count {
      switch file[offset] {
      case 0x21: offset += 2
      case 0x2C: offset += 11 + colors(offset + 9)
      // The end, or bytes that no reader goes beyond.
      default: return false
      }
      while offset < file.count, file[offset] > 0 { offset += 1 + Int(file[offset]) }
      offset += 1
    }
    // Only the end itself is missing if the last block is whole.
    return offset > file.count
  }

  /// The boxes of ISO base media files.
  static func lacksEndOfBoxes(_ file: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset < file.count {
      guard let short = number(file, at: offset, 4, isBigEndian: true) else { return true }
      // The last box may have no size of its own.
      if short == 0 { return false }
      let size = short == 1 ? number(file, at: offset + 8, 8, isBigEndian: true) : short
      guard let size, size >= 8, size <= file.count - offset else { return true }
      offset += size
    }
    return false
  }

  /// Computes where uncompressed rows end: the size in the header is wrong in many files.
  static func lacksRowsOfBMP(_ file: UnsafeRawBufferPointer) -> Bool {
    func number(_ offset: Int, _ byteCount: Int = 4) -> Int? {
      self.number(file, at: offset, byteCount, isBigEndian: false)
    }
    guard let headerByteCount = number(14), headerByteCount >= 40, let start = number(10), let width = number(18),
      let height = number(22).map({ Int32(truncatingIfNeeded: $0).magnitude }), let bitCount = number(28, 2),
      let compression = number(30), [0, 3].contains(compression), width < 1 << 24, height < 1 << 24
    else { return false }
    let rowByteCount = (UInt64(width) * UInt64(bitCount) + 31) / 32 * 4
    return start > file.count || rowByteCount * UInt64(height) > UInt64(file.count - start)
  }

  static func lacksImageOfICO(_ file: UnsafeRawBufferPointer) -> Bool {
    let count = number(file, at: 4, 2, isBigEndian: false) ?? 0
    return (0..<count).contains { index in
      guard let length = number(file, at: 14 + 16 * index, 4, isBigEndian: false),
        let offset = number(file, at: 18 + 16 * index, 4, isBigEndian: false)
      else { return true }
      return length > file.count - offset
    }
  }

  /// Looks for a strip or tile of the first image that ends behind the file. BigTIFF has the same structure with numbers of
  /// 64 bits.
  static func lacksStripOfTIFF(_ file: UnsafeRawBufferPointer) -> Bool {
    let isBigEndian = file.first == UInt8(ascii: "M")
    let isBig = number(file, at: 2, 2, isBigEndian: isBigEndian) == 43
    let size = isBig ? 8 : 4
    func unsigned(_ offset: Int, _ byteCount: Int) -> Int? {
      number(file, at: offset, byteCount, isBigEndian: isBigEndian)
    }
    guard let directory = unsigned(size, size), let count = unsigned(directory, isBig ? 8 : 2) else { return true }
    /// Where the values of a field of integers are, none without the field; `nil` if the file ends before them.
    func values(_ tags: Set<Int>) -> (start: Int, size: Int, count: Int)? {
      for index in 0..<count {
        let entry = directory + (isBig ? 8 + 20 * index : 2 + 12 * index)
        guard let tag = unsigned(entry, 2), let type = unsigned(entry + 2, 2) else { return nil }
        guard tags.contains(tag), let valueCount = unsigned(entry + 4, size) else { continue }
        let valueSize = [3: 2, 16: 8][type] ?? 4
        guard let start = valueCount <= size / valueSize ? entry + 4 + size : unsigned(entry + 4 + size, size),
          start <= file.count, valueCount <= (file.count - start) / valueSize
        else { return nil }
        return (start, valueSize, valueCount)
      }
      return (0, 2, 0)
    }
    guard let offsets = values([273, 324]), let lengths = values([279, 325]) else { return true }
    return (0..<min(offsets.count, lengths.count)).contains { index in
      guard let offset = unsigned(offsets.start + offsets.size * index, offsets.size),
        let length = unsigned(lengths.start + lengths.size * index, lengths.size)
      else { return true }
      return length > file.count - offset
    }
  }

  /// Whether the last tag of a document is not the end of its root element, or a compressed one has no end in its first 4 MB of
  /// content.
  static func lacksEndOfXML(_ file: UnsafeRawBufferPointer) -> Bool {
    if InflatedContent.isGzip(Data(file.prefix(3))) {
      return InflatedContent(of: Data(file), byteLimit: 4 << 20).end == .truncated
    }
    let end = file.reversed().drop { $0 <= 0x20 }
    guard end.first == UInt8(ascii: ">") else { return true }
    let tag = Array(end.prefix { $0 != UInt8(ascii: "<") }.reversed().filter { $0 > 0x20 })
    return !XMLText.isSVG(tag.dropFirst().dropLast())
  }
}
