import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// The encoded bytes of an image while a load uses them.
///
/// A downloaded image is stored only after it has been decoded, so that no damaged image is stored; until then other
/// loads of the same key find it in ``InFlightResponses``.
final class EncodedImage: Sendable {
  let data: Data
  let metadata: EntryMetadata
  let info: ImageInfo
  let origin: ImageOrigin
  /// How the bytes are stored; `nil` if that is not allowed, or done already.
  let storable: StorableResponse?
  /// The uptime until which they are fresh; `nil` for bytes that did not come over HTTP.
  let freshEnd: Duration?
  /// Whether images decoded from them may be kept in memory.
  let allowsMemory: Bool
  /// The image in its original size, if its source returned it decoded.
  let decoded: DecodedImage?
  let trace: LoadTrace
  /// Notices removals during the load that got the bytes.
  let watch: RemovalWatch
  /// How these bytes differ from those that the server sent before; `nil` if they are not from the network.
  let earlier: EarlierBytes?

  /// The bytes that a server sent before others.
  enum EarlierBytes: Sendable {
    /// There were none, or the same.
    case same
    case other
    /// Not known: the store has none, and the request contacted the server first.
    case unknown
  }

  private struct State {
    var isShared = true
    var isStored = false
    var version: UInt64?
    /// Whether the removal of earlier bytes, and of what was made of them, has begun.
    var hasReplaced = (inMemory: false, inStore: false)
    /// The number of calls that are replacing earlier bytes.
    var replacingCount = 0
    var waitingWrites: [CheckedContinuation<Void, Never>] = []
    /// The replacement of earlier bytes by these.
    var replacement: UInt64?
    /// Removes what was made of the earlier ones from the store.
    var removal: Task<Void, Never>?
    /// Starts the write to the store, and returns it.
    var start: Task<Task<Void, Never>, Never>?
    var failure: (any Error)?
    var onDeinit: (@Sendable () -> Void)?
  }

  /// The bytes of another load that shares the transfer, which records the replacement of earlier bytes.
  private let other: EncodedImage?
  private let state = Lock(State())

  init(
    data: Data, metadata: EntryMetadata, info: ImageInfo, origin: ImageOrigin, storable: StorableResponse? = nil,
    freshEnd: Duration? = nil, allowsMemory: Bool = true, decoded: DecodedImage? = nil, trace: LoadTrace,
    watch: RemovalWatch, earlier: EarlierBytes? = nil, like other: EncodedImage? = nil
  ) {
    self.other = other
    self.data = data
    self.metadata = metadata
    self.info = info
    self.origin = origin
    self.storable = storable
    self.freshEnd = freshEnd
    self.allowsMemory = allowsMemory
    self.decoded = decoded
    self.trace = trace
    self.watch = watch
    self.earlier = earlier
  }

  deinit { state.withLock(\.onDeinit)?() }

  /// The URL of the source in errors.
  var sourceURL: URL { metadata.url ?? watch.key.sourceURL }

  /// The status and headers of the response; `nil` for bytes that did not come over HTTP.
  var responseHead: ResponseHead? {
    guard freshEnd != nil, let url = metadata.url else { return nil }
    return ResponseHead(url: url, status: metadata.status, headers: metadata.headers)
  }

  /// Whether they are the body of an error status, see ``RequestOptions/allowsErrorImage``.
  var isOfErrorStatus: Bool { metadata.status >= 300 }

  /// A hash of the bytes; the first call reads all of them.
  var version: UInt64 {
    if let known = state.withLock(\.version) { return known }
    let version = data.withUnsafeBytes { WyHash.hash($0) }
    state.withLock { $0.version = version }
    return version
  }

  /// The mark of the bytes, for everything that is made of them; reads all of them.
  var mark: OriginalMark {
    metadata.original ?? OriginalMark(received: metadata.responseDate, hash: version)
  }

  /// Whether these bytes were removed from the store, or newer ones have replaced them.
  var isRemovedOrReplaced: Bool {
    watch.isRemovedFromStore
      || watch.lastReplacement != (other ?? self).state.withLock(\.replacement) ?? watch.removals.replacements
  }

  /// Begins a replacement of earlier bytes. Returns whether this is the first call for memory or for the store, which
  /// ``endReplacing()`` must follow.
  func beginReplacing(inStore: Bool) -> Bool {
    (other ?? self).state.withLock { state in
      let isFirst = inStore ? !state.hasReplaced.inStore : !state.hasReplaced.inMemory
      state.hasReplaced = (true, state.hasReplaced.inStore || inStore)
      if isFirst { state.replacingCount += 1 }
      return isFirst
    }
  }

  /// Records that these bytes have replaced earlier ones, and what removes those from the store.
  func recordReplacement(_ removal: Task<Void, Never>?) {
    let replacement = watch.lastReplacement
    (other ?? self).state.withLock { ($0.replacement, $0.removal) = (replacement, removal ?? $0.removal) }
  }

  /// Ends a replacement, and resumes the writes that wait for it.
  func endReplacing() {
    let writes = (other ?? self).state.withLock { state in
      state.replacingCount -= 1
      guard state.replacingCount == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waitingWrites = [] }
      return state.waitingWrites
    }
    for write in writes { write.resume() }
  }

  /// Waits for a replacement that another load of these bytes has begun, and for the removal of what was made of the
  /// earlier ones.
  func waitForReplacing() async {
    let owner = other ?? self
    if owner.state.withLock({ $0.replacingCount > 0 }) {
      await withCheckedContinuation { continuation in
        let waits = owner.state.withLock { state in
          if state.replacingCount > 0 { state.waitingWrites.append(continuation) }
          return state.replacingCount > 0
        }
        if !waits { continuation.resume() }
      }
    }
    await owner.state.withLock(\.removal)?.value
  }

  /// The image that the source returned decoded, if the size and the region of the request leave it as it is.
  func decoded(for request: ImageRequest, within limits: ImageLimits) -> DecodedImage? {
    guard let decoded, request.region == nil else { return nil }
    let size = request.resolved.size(of: info, within: limits)
    guard size.geometry(for: decoded.size) == TargetSize.original.geometry(for: decoded.size) else { return nil }
    return request.resolved.animation == .firstFrame ? decoded.still : decoded
  }

  /// Calls a closure once no load uses the bytes.
  func onDeinit(_ closure: @escaping @Sendable () -> Void) { state.withLock { $0.onDeinit = closure } }

  /// Whether another load of the same key may use the bytes, too.
  var isShared: Bool { state.withLock(\.isShared) }

  /// Ends sharing with later loads, which read the bytes from the store or, since they could not be decoded, request
  /// them again.
  func endSharing() { state.withLock { $0.isShared = false } }

  /// Records that writing the bytes to the store failed.
  func markFailed(_ error: any Error) { state.withLock { $0.failure = error } }

  /// Whether other loads of the key find these bytes: while a load holds them, in the store, or in their file.
  var isFoundAgain: Bool { storable != nil || origin == .store || origin == .file }

  /// Whether they serve a load that finds them in flight. After the load that received them has ended, they are
  /// written, and serve other loads only while they are fresh.
  func isServed(by freshness: CachePolicy, at uptime: Duration) -> Bool {
    if !freshness.followsHTTP || state.withLock({ $0.start == nil }) { return true }
    return freshEnd.map { uptime < $0 } ?? true
  }

  /// Starts the write to the store, unless it was started before; returns once it has begun.
  func startWriting(_ start: @escaping @Sendable () async -> Task<Void, Never>) async {
    let start = state.withLock { state in
      if state.start == nil { state.start = Task { await start() } }
      return state.start
    }
    _ = await start?.value
  }

  /// Waits for the end of the write to the store, if one was started.
  func waitForWriting() async throws(ImageError) {
    guard let start = state.withLock(\.start) else { return }
    try await start.value.waitUnlessCancelled()
  }

  /// Waits for the end of the write to the store, and throws its error.
  func waitForStoring() async throws(ImageError) {
    try await waitForWriting()
    guard let cause = state.withLock(\.failure) else { return }
    throw .failed(cause: cause, url: sourceURL)
  }
}

extension ImageError {
  /// The error of a renderer; for the body of an error status that is not an image, the status.
  init(rendering error: any Error, _ encoded: EncodedImage) {
    self.init(rendering: error, url: encoded.sourceURL)
    switch error {
    case RenderingError.processing, RenderingError.encoding: return
    default: break
    }
    if case .cancelled = self { return }
    if encoded.isOfErrorStatus, encoded.origin == .network {
      self = .httpStatus(encoded.metadata.status, url: encoded.sourceURL)
    }
  }
}

/// Encoded images in use, by fetch key and cache: downloaded ones until they are stored, or stored ones that are being
/// revalidated.
final class InFlightResponses: Sendable {
  struct Key: Hashable {
    let key: CacheKey
    let cache: ObjectIdentifier
    /// Part of the key, so that loads after a removal do not find bytes of loads before it.
    let removals: UInt64
    /// The identifier of the request's decoder, which describes the image.
    var decoder: String?
  }

  private struct WeakImage {
    weak var image: EncodedImage?
  }

  private let images = Lock<[Key: WeakImage]>([:])

  /// Whether no load uses a response.
  var isEmpty: Bool { images.withLock(\.isEmpty) }

  subscript(key: Key) -> EncodedImage? {
    guard let image = images.withLock({ $0[key]?.image }), image.isShared else { return nil }
    return image
  }

  func insert(_ image: EncodedImage, for key: Key) {
    let replaced = images.withLock { $0.updateValue(WeakImage(image: image), forKey: key)?.image }
    withExtendedLifetime(replaced) {}
    image.onDeinit { [self] in removeReleased(key) }
  }

  /// Removes the entry of an image that was released, unless it has been replaced.
  private func removeReleased(_ key: Key) {
    images.withLock { images in
      if let known = images[key], known.image == nil { images[key] = nil }
    }
  }
}

extension Task where Success == Void, Failure == Never {
  /// Waits for the end of this task, or until the calling task is cancelled; this one continues.
  func waitUnlessCancelled() async throws(ImageError) {
    let (end, continuation) = AsyncStream<Never>.makeStream()
    Task<Void, Never> {
      await value
      continuation.finish()
    }
    for await _ in end {}
    if Task<Never, Never>.isCancelled { throw .cancelled }
  }
}
