import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import Foundation
import Synchronization

/// The encoded bytes of an image for as long as somebody works on them.
///
/// What came over the network is kept in the store only once it has been decoded, so that nothing damaged is; until then
/// other loads of the same key find it here.
final class EncodedImage: Sendable {
  let data: Data
  let metadata: EntryMetadata
  let info: ImageInfo
  let origin: ImageOrigin
  /// How the bytes are to be stored; `nil` where they may not be, or are already.
  let draft: StorableResponse?
  /// The uptime until which they may be shown as they are; `nil` for bytes that did not come from the web.
  let freshEnd: Duration?
  /// Whether images made of them may be kept in memory.
  let mayStayInMemory: Bool
  let trace: LoadTrace

  private let isVerified = Atomic(false)
  private let stored = Atomic(false)
  private let storing = Lock<Task<Task<Void, Never>, Never>?>(nil)
  private let onEnd: @Sendable () -> Void

  init(
    data: Data, metadata: EntryMetadata, info: ImageInfo, origin: ImageOrigin, draft: StorableResponse? = nil,
    freshEnd: Duration? = nil, mayStayInMemory: Bool = true, trace: LoadTrace,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.data = data
    self.metadata = metadata
    self.info = info
    self.origin = origin
    self.draft = draft
    self.freshEnd = freshEnd
    self.mayStayInMemory = mayStayInMemory
    self.trace = trace
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// Stands for the bytes; costs reading all of them.
  var version: UInt64 { data.withUnsafeBytes { XXHash64.hash($0) } }

  /// Notes that the bytes are an image.
  ///
  /// - Returns: Whether this is the first time.
  func markVerified() -> Bool { !isVerified.exchange(true, ordering: .relaxed) }

  /// Whether the store has them.
  var isStored: Bool { stored.load(ordering: .relaxed) }

  /// Notes that the store has them, and answers for them from now on.
  func markStored() { stored.store(true, ordering: .relaxed) }

  /// Whether a load by HTTP's rules gets these very bytes as long as somebody holds them.
  var isFoundAgain: Bool { draft != nil || origin == .store }

  /// Starts the write to the store, unless somebody has started it; returns once it has begun.
  func startWriting(_ start: @escaping @Sendable () async -> Task<Void, Never>) async {
    let start = storing.withLock { storing in
      if markVerified() { storing = Task { await start() } }
      return storing
    }
    _ = await start?.value
  }

  /// Waits for the end of the write to the store, where one was started.
  func waitForWriting() async {
    let start = storing.withLock { $0 }
    await start?.value.value
  }
}

/// The bodies that somebody works on, by their fetch key and the cache that they go into, until they are stored: from
/// then on the store says how long they may be served.
final class InFlightResponses: Sendable {
  struct Key: Hashable {
    let key: CacheKey
    let cache: ObjectIdentifier
  }

  private struct Reference {
    weak var body: EncodedImage?
  }

  private let references = Lock<[Key: Reference]>([:])

  subscript(key: Key) -> EncodedImage? {
    guard let body = references.withLock({ $0[key]?.body }), !body.isStored else { return nil }
    return body
  }

  func insert(_ body: EncodedImage, for key: Key) {
    let replaced = references.withLock { $0.updateValue(Reference(body: body), forKey: key)?.body }
    withExtendedLifetime(replaced) {}
  }

  /// Forgets the key, unless a newer body has taken its place.
  func removeEnded(_ key: Key) {
    references.withLock { references in
      if let reference = references[key], reference.body == nil { references[key] = nil }
    }
  }
}
