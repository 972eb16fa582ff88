public import HalcyonImaging
public import HalcyonCache
import HalcyonSupport
public import Foundation

/// An event of a pipeline, sent to ``PipelineConfiguration/eventHandler``.
///
/// The events of one load are sent one at a time, in this order:
/// 1. ``Kind/created(_:)``, ``Kind/started``, and ``Kind/memoryHit`` or ``Kind/memoryMiss(_:)``;
/// 2. ``Kind/joined(_:)`` if the work is already in flight for another load; its earlier events are not repeated;
/// 3. ``Kind/storeHit(byteCount:)`` or ``Kind/storeMiss(_:)``, then for each attempt ``Kind/responded(status:url:)``,
///    ``Kind/progress(_:)`` and, if it failed, ``Kind/retrying(after:attemptCount:)``;
/// 4. ``Kind/decoded(_:)``, ``Kind/processed(identifier:)`` once for each processor, and ``Kind/stored(_:byteCount:)``
///    for memory;
/// 5. ``Kind/finished(_:_:)`` or ``Kind/failed(_:)``, exactly once.
///
/// Steps 2 to 4 repeat for a load that tries several sources or delivers a stale image first. Events of coalesced work
/// are sent for each load. Events of different loads are sent concurrently from several threads.
///
/// ```swift
/// let pipeline = ImagePipeline { $0.eventHandler = { event in print(event) } }
/// ```
public struct PipelineEvent: Sendable {
  /// The number of the load: 1 for the first one of the pipeline, 2 for the second; `nil` for an event of a cache that
  /// belongs to no load: ``Kind/stored(_:byteCount:)`` of the store, ``Kind/storeFailed(_:)`` and
  /// ``Kind/evicted(_:count:_:)``.
  public let load: UInt64?
  /// The request of the load; `nil` for an event of a cache.
  public let request: ImageRequest?
  /// The kind of the event.
  public let kind: Kind

  init(load: UInt64? = nil, request: ImageRequest? = nil, kind: Kind) {
    self.load = load
    self.request = request
    self.kind = kind
  }

  /// The kind of an event.
  @nonexhaustive
  public enum Kind: Sendable {
    /// A load was created.
    case created(ImageRequest)
    /// The load started: immediately, or once its task was scheduled.
    case started
    /// The image was found in memory.
    case memoryHit
    /// The image was not in memory, or could not be used.
    case memoryMiss(CacheMiss)
    /// The same work is in flight for another load, and this load waits for its result.
    case joined(SharedWork)
    /// The bytes were found in the store and used without revalidation.
    case storeHit(byteCount: Int)
    /// The bytes were not in the store, or required revalidation.
    case storeMiss(CacheMiss)
    /// A response was received, or a redirect.
    case responded(status: Int, url: URL)
    /// More of the body was received; at most once per ``PipelineConfiguration/progressInterval``.
    case progress(LoadProgress)
    /// An attempt failed, and another one follows after a delay. `attemptCount` attempts have been made so far.
    case retrying(after: ImageError, attemptCount: Int)
    /// Another source is tried: an alternative because the source before it failed, or the smaller one in low data mode
    /// because the image is not cached.
    case fallback(to: ImageSource, after: ImageError)
    /// The image was decoded at this size.
    case decoded(PixelSize)
    /// A processor was applied.
    case processed(identifier: String)
    /// The image was stored in a tier. `byteCount` is its decoded size in memory, or its encoded size in the store.
    case stored(CacheTier, byteCount: Int)
    /// The store failed to read, write or remove an entry, or there is no encoder for the format to store. The load
    /// does not fail.
    case storeFailed(any Error)
    /// A ``MemoryCache`` or ``DiskCache`` of the pipeline evicted entries, on behalf of any pipeline that shares it.
    case evicted(CacheTier, count: Int, EvictionReason)
    /// The load ended with an image.
    case finished(ImageOrigin, LoadTrace)
    /// The load ended without an image; with ``ImageError/cancelled`` if it was cancelled.
    case failed(ImageError)
  }

  /// Work that is coalesced.
  public enum SharedWork: String, Hashable, Sendable {
    /// Decoding and processing: the same image, or an earlier step towards it.
    case image
    /// Loading the encoded bytes.
    case bytes
  }
}

extension PipelineEvent: CustomStringConvertible {
  /// The number of the load, its source without user and password, and the kind: for example
  /// `17 https://example.com/a.jpg: store miss: expired`.
  public var description: String {
    guard let load else { return "- \(kind)" }
    return "\(load) \(request.map { "\($0.source): " } ?? "")\(kind)"
  }
}

extension PipelineEvent.Kind: CustomStringConvertible {
  /// The kind in a few words, without anything secret.
  public var description: String {
    switch self {
    case .created: "created"
    case .started: "started"
    case .memoryHit: "memory hit"
    case .memoryMiss(let miss): "memory miss: \(miss.rawValue)"
    case .joined(let work): "joined: \(work.rawValue)"
    case .storeHit(let byteCount): "store hit: \(byteCount.counted("byte"))"
    case .storeMiss(let miss): "store miss: \(miss.rawValue)"
    case .responded(let status, _): "response: \(status)"
    case .progress(let progress): "progress: \(progress.receivedByteCount) of \(Self.text(progress.expectedByteCount))"
    case .retrying(let error, let attemptCount): "retrying after attempt \(attemptCount): \(error)"
    case .fallback(let source, let error): "trying \(source) after: \(error)"
    case .decoded(let size): "decoded: \(size.width)x\(size.height)"
    case .processed(let identifier): "processed: \(identifier)"
    case .stored(let tier, let byteCount): "stored in \(tier): \(byteCount.counted("byte"))"
    case .storeFailed(let error): "store failed: \("\(error)".printable)"
    case .evicted(let tier, let count, let reason): "evicted from \(tier): \(count) by \(reason.rawValue)"
    case .finished(let origin, _): "finished: \(origin.rawValue)"
    case .failed(.cancelled): "cancelled"
    case .failed(let error): "failed: \(error)"
    }
  }

  private static func text(_ byteCount: Int?) -> String { byteCount.map(String.init) ?? "unknown" }
}
