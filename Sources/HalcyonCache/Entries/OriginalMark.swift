package import Foundation
import HalcyonSupport

/// Identifies the version of original bytes, in the metadata of the original and of everything that is made of it.
///
/// A 304 does not change it, since it confirms the bytes.
package struct OriginalMark: Hashable, Sendable {
  /// When the bytes were received.
  package var received: Date
  /// A hash of the bytes.
  package var hash: UInt64

  package init(received: Date, hash: UInt64) { (self.received, self.hash) = (received, hash) }

  /// The mark of bytes; reads all of them.
  package init(of data: Data, received: Date) {
    self.init(received: received, hash: data.withUnsafeBytes { WyHash.hash($0) })
  }

  /// The mark of a local file, of which its version is known.
  package init(ofFile version: String, received: Date) { self.init(of: Data(version.utf8), received: received) }

  /// Whether what has this mark was made of older bytes than those with another one.
  package func isOlder(than other: OriginalMark) -> Bool {
    hash != other.hash && received <= other.received
  }
}
