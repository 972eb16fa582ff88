import HalcyonImaging

/// Decompresses the palette indices of one GIF frame (LZW, GIF89a, appendix F).
///
/// Own code instead of giflib, which keeps a record of every frame it passes, rejects codes that browsers accept, and
/// is hardly maintained. Takes 28 KB for any frame size.
///
/// A struct, because the exclusivity checks on properties of a class take as long as the decompression.
struct GIFLZWDecoder {
  /// A dictionary entry: the string of another code and one more index.
  private struct CodeString {
    var prefix: UInt16 = 0
    var length: UInt16 = 0
    var first: UInt8 = 0
    var last: UInt8 = 0
  }

  private static let codeLimit = 4096

  private let bytes: UnsafeRawBufferPointer
  private var offset: Int
  private var blockEnd: Int
  private var bits: UInt64 = 0
  private var bitCount = 0

  private let clearCode: Int
  private var codeWidth: Int
  private var nextCode: Int
  private var previousCode: Int?

  private var strings = [CodeString](repeating: CodeString(), count: codeLimit)

  /// A string that did not fit into the caller's buffer; the range is the part not read yet.
  private var pending = [UInt8](repeating: 0, count: codeLimit)
  private var pendingRange = 0..<0

  /// - Parameters:
  ///   - bytes: The whole file; must outlive the decoder.
  ///   - offset: The offset of the image data.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ImageDecodingError) {
    guard offset < bytes.count else { throw .truncated(.gif) }
    let indexWidth = Int(bytes[offset])
    guard (1...8).contains(indexWidth) else {
      throw .corrupt(.gif, reason: "its LZW minimum code size is \(indexWidth)")
    }
    self.bytes = bytes
    self.offset = offset + 1
    blockEnd = offset + 1
    clearCode = 1 << indexWidth
    codeWidth = indexWidth + 1
    nextCode = clearCode + 2
    for index in 0..<clearCode {
      strings[index] = CodeString(length: 1, first: UInt8(index), last: UInt8(index))
    }
  }

  /// Writes the next indices and returns their number, below `count` only at the end.
  mutating func read(into target: UnsafeMutablePointer<UInt8>, count: Int) throws(ImageDecodingError) -> Int {
    var written = readPending(into: target, count: count)
    while written < count, let code = try readCode() {
      if code == clearCode {
        reset()
        continue
      }
      guard code != clearCode + 1 else { break }
      try addString(endingWith: code)
      written += write(code, into: target + written, capacity: count - written)
    }
    return written
  }

  private mutating func reset() {
    codeWidth = clearCode.trailingZeroBitCount + 1
    nextCode = clearCode + 2
    previousCode = nil
  }

  /// Adds the string of the previous code followed by the first index of this one to the dictionary.
  private mutating func addString(endingWith code: Int) throws(ImageDecodingError) {
    guard let previous = previousCode else {
      guard code < clearCode else { throw .corrupt(.gif, reason: "its LZW data starts with code \(code)") }
      previousCode = code
      return
    }
    guard code <= nextCode else {
      throw .corrupt(.gif, reason: "LZW code \(code) is used before it is defined")
    }
    if nextCode < Self.codeLimit {
      let prefix = strings[previous]
      strings[nextCode] = CodeString(
        prefix: UInt16(truncatingIfNeeded: previous), length: prefix.length &+ 1, first: prefix.first,
        last: code == nextCode ? prefix.first : strings[code].first)
      nextCode += 1
      if nextCode == 1 << codeWidth, codeWidth < 12 { codeWidth += 1 }
    }
    previousCode = code
  }

  /// Writes the string of a code, or its beginning, and returns the number of indices.
  private mutating func write(_ code: Int, into target: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
    let length = Int(strings[code].length)
    if length <= capacity {
      Self.expand(code, of: strings, into: target)
      return length
    }
    pending.withUnsafeMutableBufferPointer { [strings] pending in
      if let start = pending.baseAddress { Self.expand(code, of: strings, into: start) }
    }
    pendingRange = 0..<length
    return readPending(into: target, count: capacity)
  }

  /// Writes the string of a code from its end, as each entry refers to its prefix.
  private static func expand(_ code: Int, of strings: [CodeString], into target: UnsafeMutablePointer<UInt8>) {
    var string = strings[code]
    for position in stride(from: Int(string.length) - 1, through: 0, by: -1) {
      target[position] = string.last
      string = strings[Int(string.prefix)]
    }
  }

  private mutating func readPending(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    let range = pendingRange.prefix(count)
    for (index, position) in range.enumerated() { target[index] = pending[position] }
    pendingRange = range.upperBound..<pendingRange.upperBound
    return range.count
  }

  /// The next code, or `nil` after the last complete one.
  private mutating func readCode() throws(ImageDecodingError) -> Int? {
    while bitCount < codeWidth {
      guard let byte = try readByte() else { return nil }
      bits |= UInt64(byte) << UInt64(bitCount)
      bitCount += 8
    }
    let code = Int(bits & (1 << UInt64(codeWidth) - 1))
    bits >>= UInt64(codeWidth)
    bitCount -= codeWidth
    return code
  }

  /// The next byte, or `nil` after the last sub-block.
  private mutating func readByte() throws(ImageDecodingError) -> UInt8? {
    if offset == blockEnd {
      guard offset < bytes.count else { throw .truncated(.gif) }
      let byteCount = Int(bytes[offset])
      guard byteCount > 0 else { return nil }
      offset += 1
      blockEnd = min(offset + byteCount, bytes.count)
      guard offset < blockEnd else { throw .truncated(.gif) }
    }
    defer { offset += 1 }
    return bytes[offset]
  }
}
