import HalcyonCore

/// The colour indices of one GIF picture, decompressed on the way (LZW as GIF89a, appendix F, has it).
///
/// Written here, not taken from giflib: that keeps a record of every picture it passes, gives up at codes that browsers
/// accept, and is hardly maintained, while all there is to do is below. Takes 20 KB whatever the picture.
final class GIFPixelStream {
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

  /// Strings of indices: the code of all but the last index, the last and the first index, and how many there are.
  private var prefixes = [UInt16](repeating: 0, count: codeLimit)
  private var lasts = [UInt8](repeating: 0, count: codeLimit)
  private var firsts = [UInt8](repeating: 0, count: codeLimit)
  private var lengths = [UInt16](repeating: 0, count: codeLimit)

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
      lasts[index] = UInt8(index)
      firsts[index] = UInt8(index)
      lengths[index] = 1
    }
  }

  /// Writes the next indices and returns how many, fewer than `count` only at the end.
  func read(into target: UnsafeMutablePointer<UInt8>, count: Int) throws(ImageDecodingError) -> Int {
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

  private func reset() {
    codeWidth = clearCode.trailingZeroBitCount + 1
    nextCode = clearCode + 2
    previousCode = nil
  }

  /// Adds the string of the last code and the first index of this one.
  private func learn(_ code: Int) throws(ImageDecodingError) {
    guard let previous = previousCode else {
      guard code < clearCode else { throw .corrupt(.gif, reason: "it starts with code \(code)") }
      previousCode = code
      return
    }
    guard code < nextCode || (code == nextCode && nextCode < Self.codeLimit) else {
      throw .corrupt(.gif, reason: "code \(code) comes before it is known")
    }
    if nextCode < Self.codeLimit {
      prefixes[nextCode] = UInt16(truncatingIfNeeded: previous)
      lasts[nextCode] = code == nextCode ? firsts[previous] : firsts[code]
      firsts[nextCode] = firsts[previous]
      lengths[nextCode] = lengths[previous] &+ 1
      nextCode += 1
      if nextCode == 1 << codeWidth, codeWidth < 12 { codeWidth += 1 }
    }
    previousCode = code
  }

  /// Writes a string from its end, since that is how it is known.
  private func write(_ code: Int, into target: UnsafeMutablePointer<UInt8>, room: Int) -> Int {
    let length = Int(lengths[code])
    if length <= room {
      spell(code, length: length, into: target)
      return length
    }
    pending.withUnsafeMutableBufferPointer { pending in
      if let start = pending.baseAddress { spell(code, length: length, into: start) }
    }
    pendingRange = 0..<length
    return takePending(into: target, count: room)
  }

  private func spell(_ code: Int, length: Int, into target: UnsafeMutablePointer<UInt8>) {
    prefixes.withUnsafeBufferPointer { prefixes in
      lasts.withUnsafeBufferPointer { lasts in
        var code = code
        for position in stride(from: length - 1, through: 0, by: -1) {
          target[position] = lasts[code]
          code = Int(prefixes[code])
        }
      }
    }
  }

  private func takePending(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    let taken = pendingRange.prefix(count)
    for (index, position) in taken.enumerated() { target[index] = pending[position] }
    pendingRange = taken.upperBound..<pendingRange.upperBound
    return taken.count
  }

  /// `nil` after the last whole code.
  private func readCode() throws(ImageDecodingError) -> Int? {
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
  private func readByte() throws(ImageDecodingError) -> UInt8? {
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
