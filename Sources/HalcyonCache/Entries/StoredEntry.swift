public import Foundation

/// Encoded bytes and what is known about them.
public struct StoredEntry: Hashable, Sendable {
  /// The encoded image.
  public var body: Data
  /// Where it came from and when.
  public var metadata: EntryMetadata

  /// Creates an entry.
  public init(body: Data, metadata: EntryMetadata) {
    self.body = body
    self.metadata = metadata
  }
}
