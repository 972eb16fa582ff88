public import Foundation

/// Changes the body of one response piece by piece, see ``RequestOptions/streamTransform``.
///
/// Used by one load, and not by two threads at once.
public protocol StreamTransform {
  /// Returns the bytes that follow from the next piece of the body; empty if more of it is needed.
  ///
  /// - Parameter piece: At least one byte. Where a body is cut into pieces says nothing.
  /// - Throws: An error that fails the load, such as that of a wrong key.
  mutating func transform(_ piece: Data) throws -> Data

  /// Returns the last bytes, called once when the whole body has arrived.
  ///
  /// - Throws: An error that fails the load, such as that of a wrong authentication tag.
  mutating func finish() throws -> Data
}
