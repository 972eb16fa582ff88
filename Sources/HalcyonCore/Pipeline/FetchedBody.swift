import Foundation
import Synchronization

/// The encoded bytes of an image for as long as somebody works on them.
///
/// What came over the network is kept in the store only once it has been decoded, so that nothing damaged is; until then
/// other loads of the same key find it here.
final class FetchedBody: Sendable {
  let data: Data
  let metadata: EntryMetadata
  let info: ImageInfo
  let origin: ImageOrigin
  /// Whether the bytes may outlive the process.
  let isStorable: Bool
  let trace: LoadTrace

  private let isProven = Atomic(false)
  private let onEnd: @Sendable () -> Void

  init(
    data: Data, metadata: EntryMetadata, info: ImageInfo, origin: ImageOrigin, isStorable: Bool = true,
    trace: LoadTrace, onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.data = data
    self.metadata = metadata
    self.info = info
    self.origin = origin
    self.isStorable = isStorable
    self.trace = trace
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// Notes that the bytes are an image.
  ///
  /// - Returns: Whether this is the first time.
  func prove() -> Bool { !isProven.exchange(true, ordering: .relaxed) }
}

/// The bodies that somebody works on, by their fetch key.
final class LiveBodies: Sendable {
  private struct Reference {
    weak var body: FetchedBody?
  }

  private let references = Lock<[CacheKey: Reference]>([:])

  subscript(key: CacheKey) -> FetchedBody? {
    references.withLock { $0[key]?.body }
  }

  func insert(_ body: FetchedBody, for key: CacheKey) {
    let replaced = references.withLock { $0.updateValue(Reference(body: body), forKey: key)?.body }
    withExtendedLifetime(replaced) {}
  }

  /// Forgets the key, unless a newer body has taken its place.
  func removeEnded(_ key: CacheKey) {
    references.withLock { references in
      if let reference = references[key], reference.body == nil { references[key] = nil }
    }
  }
}
