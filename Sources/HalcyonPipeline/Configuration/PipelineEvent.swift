public import HalcyonImaging
public import HalcyonCache
public import Foundation

/// Something that a pipeline did, told to ``PipelineConfiguration/eventHandler``.
///
/// The events of one load come one at a time and in this order:
/// 1. ``Kind/created(_:)``, ``Kind/started``, and what memory had;
/// 2. ``Kind/joined(_:)`` where another load is at the same work already; what had been done before that is not told again;
/// 3. what the store had, then for each attempt ``Kind/responded(status:url:)``, ``Kind/progress(_:)`` and, where it failed,
///    ``Kind/retrying(after:attemptCount:)``;
/// 4. ``Kind/decoded(_:)``, ``Kind/processed(identifier:)`` once for each processor, and ``Kind/stored(_:byteCount:)``
///    for memory;
/// 5. ``Kind/finished(_:_:)`` or ``Kind/failed(_:)``: always there, always last, and once.
///
/// A load that tries several sources, or looks at what is stale first, goes through the middle more than once. Work that
/// loads share is told to each of them. Events of different loads come from different threads at the same time.
public struct PipelineEvent: Sendable {
  /// The number of the load, from 1 on in the order of their creation in this pipeline; `nil` for what a cache does
  /// later and for nobody in particular: ``Kind/stored(_:byteCount:)`` of the store, ``Kind/storeFailed(_:)``, and
  /// ``Kind/evicted(_:count:_:)``.
  public let load: UInt64?
  /// What was done.
  public let kind: Kind

  /// What a pipeline does.
  @nonexhaustive
  public enum Kind: Sendable {
    /// A load came into being.
    case created(ImageRequest)
    /// Its work began: at once, or when its task got a thread.
    case started
    /// The image was in memory.
    case memoryHit
    /// The image in memory was not there, or not to be shown.
    case memoryMiss(CacheMiss)
    /// Another load is at the same work, and this one waits for its outcome.
    case joined(SharedWork)
    /// The store had the bytes, and they were taken as they are.
    case storeHit(byteCount: Int)
    /// The store did not have the bytes, or its server had to be asked first.
    case storeMiss(CacheMiss)
    /// A server answered; every hop of a redirect does.
    case responded(status: Int, url: URL)
    /// More of the body has arrived; at most as often as ``PipelineConfiguration/progressInterval`` allows.
    case progress(LoadProgress)
    /// An attempt failed, and another one follows after a wait. `attemptCount` attempts have been made.
    case retrying(after: ImageError, attemptCount: Int)
    /// The bytes became an image of this size.
    case decoded(PixelSize)
    /// A processor made a new image.
    case processed(identifier: String)
    /// A tier keeps the image, in so many bytes: of pixels in memory, encoded in the store.
    case stored(CacheTier, byteCount: Int)
    /// The store failed to find, keep or forget something, or there is no encoder for what it was to keep. No load fails
    /// by that: the image is delivered all the same.
    case storeFailed(any Error)
    /// A ``MemoryCache`` or ``DiskCache`` of the pipeline let entries go, for this pipeline or for another one.
    case evicted(CacheTier, count: Int, EvictionReason)
    /// The load gave an image.
    case finished(ImageOrigin, LoadTrace)
    /// The load ended without an image; ``ImageError/cancelled`` where somebody wanted that.
    case failed(ImageError)
  }

  /// Work that loads share.
  public enum SharedWork: String, Hashable, Sendable {
    /// Making an image of bytes: the same pixels, or an earlier step on the way to them.
    case image
    /// Getting the bytes.
    case bytes
  }
}
