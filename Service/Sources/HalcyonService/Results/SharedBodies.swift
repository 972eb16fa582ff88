import Foundation
import NIOCore
import NIOFoundationCompat
import Synchronization

/// One buffer for results with the same bytes, so that any number of clients that read one do not multiply its memory.
///
/// The latest buffers are kept, up to a number of bytes.
final class SharedBodies: Sendable {
  private struct State {
    var buffers: [String: ByteBuffer] = [:]
    /// The tags of the buffers, the latest last.
    var order: [String] = []
    var byteCount = 0
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// A buffer with the bytes of a result.
  ///
  /// - Parameter tag: A hash of the bytes.
  func buffer(for data: Data, tag: String) -> ByteBuffer {
    if let buffer = state.withLock({ $0.buffers[tag] }) { return buffer }
    let buffer = ByteBuffer(data: data)
    guard data.count <= byteLimit else { return buffer }
    var dropped: [ByteBuffer?] = []
    let kept = state.withLock { state in
      // Another request may have been faster.
      if let buffer = state.buffers[tag] { return buffer }
      state.buffers[tag] = buffer
      state.order.append(tag)
      state.byteCount += data.count
      while state.byteCount > byteLimit {
        let oldest = state.buffers.removeValue(forKey: state.order.removeFirst())
        state.byteCount -= oldest?.readableBytes ?? 0
        dropped.append(oldest)
      }
      return buffer
    }
    // Large buffers are released without the lock.
    withExtendedLifetime(dropped) {}
    return kept
  }

  /// Drops everything.
  func removeAll() {
    let old = state.withLock { state in
      defer { state = State() }
      return state.buffers
    }
    withExtendedLifetime(old) {}
  }
}
