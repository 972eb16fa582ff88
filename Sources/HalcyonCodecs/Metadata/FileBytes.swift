import Foundation

/// A copy of the bytes of a file that stays where it is, for those who come back to it.
final class FileBytes {
  let buffer: UnsafeRawBufferPointer

  init(_ data: Data) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
    data.withUnsafeBytes { copy.copyMemory(from: $0) }
    buffer = UnsafeRawBufferPointer(copy)
  }

  deinit { buffer.deallocate() }
}
