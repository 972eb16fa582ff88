import Foundation
@_spi(Programs) import HalcyonSupport
import NIOCore
import NIOFoundationCompat

/// One buffer for results with the same bytes, so that any number of clients that read one do not multiply its memory.
///
/// The buffers used last are kept, up to a number of bytes.
final class SharedBodies: Sendable {
  /// By their tags.
  private let buffers: RecentTable<String, ByteBuffer>

  init(byteLimit: Int) { buffers = RecentTable(costLimit: byteLimit) }

  /// A buffer with the bytes of a result.
  ///
  /// - Parameter tag: A hash of the bytes.
  func buffer(for data: Data, tag: String) -> ByteBuffer {
    // Another request may be faster.
    buffers[tag] ?? buffers.insert(ByteBuffer(data: data), for: tag, cost: data.count, replaces: false)
  }

  /// Drops everything.
  func removeAll() { buffers.removeAll() }
}
