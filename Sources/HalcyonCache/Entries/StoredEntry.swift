public import Foundation

/// An encoded image in a store, with its metadata.
public struct StoredEntry: Hashable, Sendable {
  /// The encoded image.
  public var body: Data
  /// The image's source, header fields, dates and tags.
  public var metadata: EntryMetadata

  /// Creates an entry.
  public init(body: Data, metadata: EntryMetadata) {
    self.body = body
    self.metadata = metadata
  }
}
