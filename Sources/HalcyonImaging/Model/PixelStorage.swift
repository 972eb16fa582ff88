import Foundation

/// The memory of one bitmap; the last owner hands it to the ``PixelPool``, or frees it.
///
/// Unchecked: the bytes are written only while one `Bitmap` is the sole owner, and only read otherwise.
final class PixelStorage: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer
  /// `nil` where the allocator gave the memory.
  private let block: PixelBlock?
  private let pool: PixelPool

  /// Zeroed memory, or `nil` when the system has none to give.
  init?(byteCount: Int, pool: PixelPool = .shared) {
    self.pool = pool
    block = pool.take(byteCount: byteCount)
    guard let start = block?.start ?? calloc(1, byteCount) else { return nil }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  deinit {
    if let block { pool.giveBack(block) } else { free(bytes.baseAddress) }
  }
}
