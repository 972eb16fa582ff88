#if !IMAGEIO
/// The entropy-coded bytes of a scan, some kilobytes at once, without the zero bytes stuffed after 0xFF.
///
/// After the bytes of a scan come arbitrary ones, more than an MCU can have; the reader then finds that it has read too
/// many.
final class JPEGScanBytes {
  /// More than the bytes of an MCU: ten blocks of 64 coefficients of at most 27 bits.
  private static let margin = 2304
  private static let pieceByteCount = 1 << 12
  /// The number of bytes before the next one that stay readable.
  private static let history = 8

  /// From here on, ``advance(_:)`` has to be called before another MCU is read.
  private(set) var limit: UnsafePointer<UInt8>

  private let file: UnsafeRawBufferPointer
  /// The position in the file of the next byte to copy.
  private var offset = 0
  /// The end of the bytes in memory.
  private var end: UnsafePointer<UInt8>
  /// Whether all bytes up to a marker are in memory.
  private(set) var hasEnded = false
  private let memory: UnsafeMutablePointer<UInt8>

  init(_ file: UnsafeRawBufferPointer) {
    let capacity = Self.history + Self.margin + Self.pieceByteCount + Self.margin
    memory = .allocate(capacity: capacity)
    memory.initialize(repeating: 0, count: capacity)
    self.file = file
    end = UnsafePointer(memory)
    limit = end
  }

  deinit { memory.deallocate() }

  /// The first bits of a scan whose entropy-coded bytes start at an offset of the file.
  func start(at offset: Int) -> JPEGBits {
    self.offset = offset
    hasEnded = false
    end = UnsafePointer(memory + Self.history)
    copy()
    return JPEGBits(memory + Self.history)
  }

  /// The offset in the file of the byte with the next bit, and the number of bits of that byte before it.
  func position(of bits: JPEGBits) -> (offset: Int, bitCount: Int) {
    let bitCount = bits.remaining(before: end)
    let byteCount = (bitCount + 7) / 8
    var position = offset
    for _ in 0..<byteCount where position > 1 {
      position -= file[position - 1] == 0 && file[position - 2] == 0xFF ? 2 : 1
    }
    return (position, byteCount * 8 - bitCount)
  }

  /// Makes the next bytes available. Returns `false` if more have been read than there are.
  func advance(_ bits: inout JPEGBits) -> Bool {
    if hasEnded { return bits.remaining(before: end) >= 0 }
    let rest = end - bits.next
    guard (0...Self.margin).contains(rest) else { return false }
    memory.update(from: bits.next - Self.history, count: Self.history + rest)
    bits.next = UnsafePointer(memory + Self.history)
    end = bits.next + rest
    copy()
    return true
  }

  /// The position of the marker after the scan, or of a restart marker; `nil` if it does not follow the bits.
  func markerOffset(after bits: JPEGBits) -> Int? {
    hasEnded && (0..<8).contains(bits.remaining(before: end)) ? offset : nil
  }

  /// The marker at a position.
  func marker(at offset: Int) -> UInt8? { offset + 1 < file.count ? file[offset + 1] : nil }

  /// The bits after the restart marker with a number, if it follows `bits`.
  func restart(after bits: JPEGBits, number: Int) -> JPEGBits? {
    guard let offset = markerOffset(after: bits), marker(at: offset) == 0xD0 + UInt8(number & 7)
    else { return nil }
    return start(at: offset + 2)
  }

  /// The bits after the last of some restart markers, the first of which has a number; what is before them is not read.
  func restart(number: Int, count: Int) -> JPEGBits? {
    for number in number..<number + count {
      while !hasEnded {
        end = UnsafePointer(memory + Self.history)
        copy()
      }
      guard marker(at: offset) == 0xD0 + UInt8(number & 7) else { return nil }
      offset += 2
      hasEnded = false
    }
    return start(at: offset)
  }

  /// Appends the bytes up to a marker, to the end of the file or to the length of a piece.
  private func copy() {
    guard let start = file.assumingMemoryBound(to: UInt8.self).baseAddress else { return hasEnded = true }
    var target = UnsafeMutablePointer(mutating: end)
    let limit = target + Self.pieceByteCount
    var source = start + offset
    let sourceEnd = start + file.count
    while target < limit {
      Self.copyPlain(&source, before: sourceEnd, to: &target, before: limit)
      guard source < sourceEnd else {
        hasEnded = true
        break
      }
      if source[0] == 0xFF {
        guard sourceEnd - source >= 2, source[1] == 0 else {
          hasEnded = true
          break
        }
        target[0] = 0xFF
        source += 2
      } else {
        target[0] = source[0]
        source += 1
      }
      target += 1
    }
    offset = source - start
    end = UnsafePointer(target)
    self.limit = end - Self.margin
  }

  /// Copies eight bytes at a time up to the first 0xFF.
  @inline(__always)
  private static func copyPlain(
    _ source: inout UnsafePointer<UInt8>, before sourceEnd: UnsafePointer<UInt8>,
    to target: inout UnsafeMutablePointer<UInt8>, before limit: UnsafeMutablePointer<UInt8>
  ) {
    while target < limit, sourceEnd - source >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(source).loadUnaligned(as: UInt64.self))
      UnsafeMutableRawPointer(target).storeBytes(of: word.littleEndian, as: UInt64.self)
      // The lowest set bit belongs to the first byte that is 0xFF.
      let found = (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080
      let count = found == 0 ? 8 : found.trailingZeroBitCount &>> 3
      target += count
      source += count
      if found != 0 { return }
    }
  }
}
#endif
