import NIOCore
import Synchronization

/// The bodies that clients have not read yet, in a bounded number of bytes: beyond it the connections that have waited
/// longest are closed.
///
/// A body that several clients wait for is in memory once, and counts once.
final class UnreadBodies: Sendable {
  private struct Reader {
    let channel: any Channel
    let bodies: [Body]
  }

  private struct Body {
    /// Where its bytes are, which no other body shares as long as it is unread.
    let address: UInt
    let byteCount: Int
  }

  private struct State {
    /// The connections, those that have waited longest first.
    var readers: [Reader] = []
    var readerCounts: [UInt: Int] = [:]
    var byteCount = 0

    mutating func remove(at index: Int) -> Reader {
      let reader = readers.remove(at: index)
      for body in reader.bodies {
        let count = readerCounts[body.address, default: 1] - 1
        readerCounts[body.address] = count > 0 ? count : nil
        if count == 0 { byteCount -= body.byteCount }
      }
      return reader
    }

    mutating func append(_ reader: Reader) {
      readers.append(reader)
      for body in reader.bodies {
        let count = readerCounts[body.address, default: 0]
        readerCounts[body.address] = count + 1
        if count == 0 { byteCount += body.byteCount }
      }
    }
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// The bytes of all bodies.
  var byteCount: Int { state.withLock(\.byteCount) }

  /// Replaces the bodies that a connection's client has not read.
  func set(_ bodies: [ByteBuffer], of channel: any Channel) {
    let bodies = bodies.map { buffer in
      Body(address: buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }, byteCount: buffer.storageCapacity)
    }
    let late = state.withLock { state -> [Reader] in
      let old = state.readers.firstIndex { $0.channel === channel }
      if let old { _ = state.remove(at: old) }
      guard !bodies.isEmpty else { return [] }
      state.append(Reader(channel: channel, bodies: bodies))
      var late: [Reader] = []
      // The newest one is sent whatever its size.
      while state.byteCount > byteLimit, state.readers.count > 1 { late.append(state.remove(at: 0)) }
      return late
    }
    for reader in late { reader.channel.close(promise: nil) }
  }
}
