#if AVIF || JXL
import Foundation

/// A copy of bytes that stays where it is, for codecs that read on from call to call.
///
/// Unchecked: the bytes are never changed after the initialiser returns.
final class LastingBytes: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  init(_ data: Data) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
    data.withUnsafeBytes { copy.copyMemory(from: $0) }
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit { bytes.deallocate() }
}
#endif
