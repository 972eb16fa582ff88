#if !IMAGEIO
/// The next bits of a scan.
///
/// They are loaded without checking for the end of the scan; see ``JPEGScanBytes``.
struct JPEGBits {
  /// The next byte to load. The eight bytes before it are readable.
  var next: UnsafePointer<UInt8>
  /// From the most significant one on.
  private var bits: UInt64 = 0
  /// The number of bits, modulo 64.
  private var count: UInt64 = 0

  init(_ start: UnsafePointer<UInt8>) {
    next = start
  }

  /// Loads bits until there are at least 56.
  @inline(__always)
  mutating func load() {
    bits |= Self.bytes(next) &>> count
    next += Int(truncatingIfNeeded: (63 &- (count & 63)) &>> 3)
    count |= 56
  }

  /// The next bits as an index of a ``JPEGLookup``.
  @inline(__always)
  var index: Int { peek(JPEGLookup.indexBits) }

  /// The next bits, 1 to 56.
  @inline(__always)
  func peek(_ count: Int) -> Int { Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- count)) }

  /// Skips the bits of an entry of a ``JPEGLookup``, or a number of bits below 64.
  @inline(__always)
  mutating func skip(_ entry: UInt64) {
    bits &<<= entry
    count &-= entry
  }

  /// Reads 0 to 56 bits.
  @inline(__always)
  mutating func read(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    defer { skip(UInt64(truncatingIfNeeded: count)) }
    return peek(count)
  }

  /// Returns to the state before `count` bits were skipped, at most as many as since ``load()``.
  mutating func unread(_ count: Int) {
    self.count = (self.count &+ UInt64(count)) & 63
    bits = self.count == 0 ? 0 : Self.bytes(next - 8) &<< (64 &- self.count)
  }

  /// The number of bits that remain before `end`; negative if more have been read.
  func remaining(before end: UnsafePointer<UInt8>) -> Int { (end - next) * 8 + Int(count & 63) }

  @inline(__always)
  private static func bytes(_ start: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(bigEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
  }
}
#endif
