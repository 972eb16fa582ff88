import Foundation

/// Memory for some rows, or all, of a few planes, aligned for zimg.
///
/// A buffer with fewer rows than the image is a ring: row `i` lies at `i & mask`.
struct PlaneBuffer: ~Copyable {
  /// Bytes to which zimg wants rows aligned where it uses 512-bit instructions.
  private static let alignment = 64

  private let memory: UnsafeMutableRawPointer
  private let planes: [(offset: Int, stride: Int)]
  private let mask: Int

  /// Zeroed rows, or `nil` when there is no memory.
  ///
  /// - Parameters:
  ///   - rowByteCounts: Bytes of a row, for each plane.
  ///   - rowCount: Rows of each plane; a power of two where `isRing`.
  ///   - isRing: Whether rows past `rowCount` begin again at the first one.
  init?(rowByteCounts: [Int], rowCount: Int, isRing: Bool) {
    var planes: [(offset: Int, stride: Int)] = []
    var byteCount = 0
    for rowByteCount in rowByteCounts {
      let stride = (rowByteCount + Self.alignment - 1) / Self.alignment * Self.alignment
      planes.append((offset: byteCount, stride: stride))
      byteCount += stride * rowCount
    }
    guard let memory = aligned_alloc(Self.alignment, byteCount) else { return nil }
    memset(memory, 0, byteCount)
    self.memory = memory
    self.planes = planes
    self.mask = isRing ? rowCount - 1 : -1
  }

  deinit { free(memory) }

  var planeCount: Int { planes.count }

  func stride(ofPlane plane: Int) -> Int { planes[plane].stride }

  func start(ofPlane plane: Int) -> UnsafeMutableRawPointer { memory + planes[plane].offset }

  /// The mask in zimg's terms.
  var rowMask: UInt32 { mask < 0 ? .max : UInt32(mask) }

  func row(_ row: Int, ofPlane plane: Int) -> UnsafeMutablePointer<UInt8> {
    (start(ofPlane: plane) + (row & mask) * planes[plane].stride).assumingMemoryBound(to: UInt8.self)
  }
}
