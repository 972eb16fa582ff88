import Foundation

/// The memory of one bitmap, freed with its last owner.
///
/// Unchecked: the bytes are written only while one `Bitmap` is the sole owner, and only read otherwise.
final class PixelStorage: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  /// Zeroed memory, or `nil` when the system has none to give.
  init?(byteCount: Int) {
    guard let start = calloc(1, byteCount) else { return nil }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  deinit { free(bytes.baseAddress) }
}
