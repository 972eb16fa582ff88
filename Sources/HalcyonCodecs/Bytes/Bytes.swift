import Foundation

/// Bounds-checked reads of integers from the bytes of a file; `nil` out of bounds.
struct Bytes {
  /// Larger than any file, but small enough to add offsets without overflow: 128 MB where `Int` has 32 bits, as on
  /// older watches.
  static let largest = Int.max >> 4

  let buffer: UnsafeRawBufferPointer

  init(_ buffer: UnsafeRawBufferPointer) {
    self.buffer = buffer
  }

  var count: Int { buffer.count }

  /// A copy of the bytes.
  var data: Data { Data(buffer) }

  subscript(offset: Int) -> UInt8? {
    offset >= 0 && offset < buffer.count ? buffer[offset] : nil
  }

  /// The bytes in `range`, clamped to the bytes that exist.
  subscript(range: Range<Int>) -> Bytes {
    Bytes(UnsafeRawBufferPointer(rebasing: buffer[range.clamped(to: 0..<buffer.count)]))
  }

  func starts(with prefix: some Sequence<UInt8>) -> Bool { buffer.starts(with: prefix) }

  func contains(_ text: [UInt8]) -> Bool { position(of: text) != nil }

  func position(of text: [UInt8], from start: Int = 0) -> Int? {
    guard let base = buffer.baseAddress, let first = text.first else { return nil }
    var offset = start
    while offset < count, let found = memchr(base + offset, Int32(first), count - offset) {
      offset = UnsafeRawPointer(found) - base
      if buffer[offset...].starts(with: text) { return offset }
      offset += 1
    }
    return nil
  }

  /// ASCII text; other bytes become characters that match no four-character code.
  func text(at offset: Int, count: Int) -> String? {
    guard self[offset] != nil, self[offset + count - 1] != nil else { return nil }
    return String(decoding: self[offset..<offset + count].buffer, as: UTF8.self)
  }

  func unsigned16(at offset: Int, littleEndian: Bool = false) -> Int? {
    guard let first = self[offset], let second = self[offset + 1] else { return nil }
    return littleEndian ? Int(second) << 8 | Int(first) : Int(first) << 8 | Int(second)
  }

  /// Three bytes, the least significant first.
  func unsigned24(at offset: Int) -> Int? {
    guard let low = unsigned16(at: offset, littleEndian: true), let high = self[offset + 2] else { return nil }
    return Int(high) << 16 | low
  }

  /// A number of four bytes, at most ``largest``.
  func unsigned32(at offset: Int, littleEndian: Bool = false) -> Int? {
    bits32(at: offset, littleEndian: littleEndian).map { min(Int(clamping: $0), Self.largest) }
  }

  /// A number of eight bytes, at most ``largest``.
  func unsigned64(at offset: Int, littleEndian: Bool = false) -> Int? {
    bits64(at: offset, littleEndian: littleEndian).map { min(Int(clamping: $0), Self.largest) }
  }

  func bits32(at offset: Int, littleEndian: Bool = false) -> UInt32? {
    guard let first = unsigned16(at: offset, littleEndian: littleEndian),
      let second = unsigned16(at: offset + 2, littleEndian: littleEndian)
    else { return nil }
    let (high, low) = littleEndian ? (second, first) : (first, second)
    return UInt32(high) << 16 | UInt32(low)
  }

  func bits64(at offset: Int, littleEndian: Bool = false) -> UInt64? {
    guard let first = bits32(at: offset, littleEndian: littleEndian),
      let second = bits32(at: offset + 4, littleEndian: littleEndian)
    else { return nil }
    let (high, low) = littleEndian ? (second, first) : (first, second)
    return UInt64(high) << 32 | UInt64(low)
  }
}

extension Data {
  /// The lowest `count` bytes of a number, the least significant first.
  init(littleEndian value: some BinaryInteger, count: Int) {
    self.init((0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
  }

  /// The lowest `count` bytes of a number, the most significant first.
  init(bigEndian value: some BinaryInteger, count: Int) {
    self.init(Data(littleEndian: value, count: count).reversed())
  }
}

/// A copy of the bytes of a file at a stable address, for readers that live longer than one call.
final class FileBytes {
  let buffer: UnsafeRawBufferPointer

  init(_ data: Data) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
    data.withUnsafeBytes { copy.copyMemory(from: $0) }
    buffer = UnsafeRawBufferPointer(copy)
  }

  deinit { buffer.deallocate() }
}
