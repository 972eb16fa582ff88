import HalcyonImaging

/// The colour indices of one GIF picture, decompressed on the way (LZW as GIF89a, appendix F, has it).
///
/// Written here, not taken from giflib: that keeps a record of every picture it passes, gives up at codes that browsers
/// accept, and is hardly maintained, while all there is to do is below. Takes 28 KB whatever the picture.
///
/// A value, since the properties of an object are guarded at each access, which takes as long as the decompression.
struct GIFPixelStream {
  /// What a code stands for: the string of another code, and one more index.
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

  /// A string that did not fit into what was asked for, read up to the start of the range.
  private var pending = [UInt8](repeating: 0, count: codeLimit)
  private var pendingRange = 0..<0

  /// - Parameters:
  ///   - bytes: The whole file; must outlive the stream.
  ///   - offset: Where the data of the picture starts.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ImageDecodingError) {
    guard offset < bytes.count else { throw .truncated(.gif) }
    let indexWidth = Int(bytes[offset])
    guard (1...8).contains(indexWidth) else {
      throw .corrupt(.gif, reason: "its indices have \(indexWidth) bits")
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

  /// Writes the next indices and returns how many, fewer than `count` only at the end.
  mutating func read(into target: UnsafeMutablePointer<UInt8>, count: Int) throws(ImageDecodingError) -> Int {
    var written = takePending(into: target, count: count)
    while written < count, let code = try readCode() {
      if code == clearCode {
        reset()
        continue
      }
      guard code != clearCode + 1 else { break }
      try learn(code)
      written += write(code, into: target + written, room: count - written)
    }
    return written
  }

  private mutating func reset() {
    codeWidth = clearCode.trailingZeroBitCount + 1
    nextCode = clearCode + 2
    previousCode = nil
  }

  /// Adds the string of the last code and the first index of this one.
  private mutating func learn(_ code: Int) throws(ImageDecodingError) {
    guard let previous = previousCode else {
      guard code < clearCode else { throw .corrupt(.gif, reason: "it starts with code \(code)") }
      previousCode = code
      return
    }
    guard code < nextCode || (code == nextCode && nextCode < Self.codeLimit) else {
      throw .corrupt(.gif, reason: "code \(code) comes before it is known")
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

  /// Writes a string from its end, since that is how it is known.
  private mutating func write(_ code: Int, into target: UnsafeMutablePointer<UInt8>, room: Int) -> Int {
    let length = Int(strings[code].length)
    if length <= room {
      Self.spell(code, of: strings, into: target)
      return length
    }
    pending.withUnsafeMutableBufferPointer { [strings] pending in
      if let start = pending.baseAddress { Self.spell(code, of: strings, into: start) }
    }
    pendingRange = 0..<length
    return takePending(into: target, count: room)
  }

  private static func spell(_ code: Int, of strings: [CodeString], into target: UnsafeMutablePointer<UInt8>) {
    var string = strings[code]
    for position in stride(from: Int(string.length) - 1, through: 0, by: -1) {
      target[position] = string.last
      string = strings[Int(string.prefix)]
    }
  }

  private mutating func takePending(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    let taken = pendingRange.prefix(count)
    for (index, position) in taken.enumerated() { target[index] = pending[position] }
    pendingRange = taken.upperBound..<pendingRange.upperBound
    return taken.count
  }

  /// `nil` after the last whole code.
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

  /// `nil` after the last sub-block.
  private mutating func readByte() throws(ImageDecodingError) -> UInt8? {
    if offset == blockEnd {
      guard offset < bytes.count else { throw .truncated(.gif) }
      let byteCount = Int(bytes[offset])
      guard byteCount > 0 else { return nil }
      guard offset + byteCount < bytes.count else { throw .truncated(.gif) }
      offset += 1
      blockEnd = offset + byteCount
    }
    defer { offset += 1 }
    return bytes[offset]
  }
}
