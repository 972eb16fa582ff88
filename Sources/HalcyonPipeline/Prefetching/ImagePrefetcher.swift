public import HalcyonSupport
public import Foundation

/// Loads images into the caches before they are needed.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(pipeline: pipeline)
/// prefetcher.start(urls)         // the next rows of a list
/// prefetcher.isPaused = true     // while it scrolls fast
/// prefetcher.stop()              // when it disappears
/// ```
///
/// Requests with a higher priority than the prefetcher's go first; a request for an image whose prefetch is in flight
/// joins it and raises its priority. All members may be used from any thread. Images that were added are loaded even if
/// the prefetcher is released, unless they are stopped.
///
/// `ImagePrefetcher(for: view.hc)` of HalcyonViews loads images as a view does.
public final class ImagePrefetcher: Sendable {
  /// The tier that images are loaded into.
  public enum Destination: Hashable, Sendable {
    /// Memory, decoded at the size and with the processors of the request; the original bytes are stored as well.
    ///
    /// A request without a size goes to the ``store`` only, if it writes to one: views load images at their own size. The
    /// size ``TargetSize/original`` decodes all pixels.
    case memory
    /// Only the store. The original bytes are stored without decoding: they are checked to begin like an image, and the
    /// size and the processors of the request are ignored.
    ///
    /// A request whose ``RequestOptions/storage`` encodes images is decoded and processed, and stored as a load of it
    /// would store it: encoded, with or without the original bytes.
    case store
  }

  private let destination: Destination
  private let change: @Sendable (inout ImageRequest) -> Void
  private let pipeline: ImagePipeline
  private let queue: PrefetchQueue

  /// Creates a prefetcher. It needs hardly any memory until it is used.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline that loads the images.
  ///   - destination: The tier that images are loaded into. Default: memory.
  ///   - priority: The priority of all loads, instead of the priority of each request. Default: low.
  ///   - concurrencyLimit: The maximum number of concurrent loads; below 1 counts as 1. Default: 5.
  public convenience init(
    pipeline: ImagePipeline, destination: Destination = .memory, priority: ImagePriority = .low,
    concurrencyLimit: Int = 5
  ) {
    self.init(pipeline, destination, priority: priority, concurrencyLimit: concurrencyLimit) { _ in }
  }

  /// Creates a prefetcher that completes each request.
  package init(
    _ pipeline: ImagePipeline, _ destination: Destination = .memory, priority: ImagePriority, concurrencyLimit: Int,
    change: @escaping @Sendable (inout ImageRequest) -> Void
  ) {
    (self.pipeline, self.destination, self.change) = (pipeline, destination, change)
    queue = PrefetchQueue(priority: priority, concurrencyLimit: max(1, concurrencyLimit)) { request, subscription in
      await pipeline.prefetch(request, to: pipeline.destination(of: request, destination), subscription)
    }
  }

  /// The priority of all loads. A change applies to loads in flight, too.
  public var priority: ImagePriority {
    get { queue.priority }
    set { queue.priority = newValue }
  }

  /// The maximum number of concurrent loads; below 1 counts as 1.
  ///
  /// A change takes effect immediately; loads in flight are not cancelled.
  public var concurrencyLimit: Int {
    get { queue.concurrencyLimit }
    set { queue.concurrencyLimit = max(1, newValue) }
  }

  /// Whether no further loads are started; loads in flight continue. Default: `false`.
  public var isPaused: Bool {
    get { queue.isPaused }
    set { queue.isPaused = newValue }
  }

  /// Adds images to the end of the queue; requests for the same image are loaded once.
  ///
  /// If called on an actor, for example the main actor, loading starts once the actor is free: images that are stopped
  /// before that are never loaded. The call itself only makes a cache key for each request.
  ///
  /// - Returns: A handle to observe or stop these images. Prefetching continues when it is released.
  @discardableResult
  public func start(_ requests: [ImageRequest], isolation: isolated (any Actor)? = #isolation) -> PrefetchTask {
    let batch = PrefetchBatch(requests.map(completed), destination: destination(of:))
    queue.announce(batch)
    Task { [queue] in
      _ = isolation
      await queue.begin(batch)
    }
    return PrefetchTask(prefetcher: self, batch: batch)
  }

  /// Adds the images at `urls` to the end of the queue. See `start` with requests.
  @discardableResult
  public func start(_ urls: [URL], isolation: isolated (any Actor)? = #isolation) -> PrefetchTask {
    start(urls.map { ImageRequest(url: $0) }, isolation: isolation)
  }

  /// Stops all images, started or not. When this returns, they are in ``PrefetchResult/failed``.
  ///
  /// The prefetcher can be used again.
  public func stop() { queue.stop() }

  /// Stops the images of `requests`, whichever call added them, for example when rows leave the screen.
  public func stop(_ requests: [ImageRequest]) {
    queue.stop(requests.map(completed).map { PrefetchKey($0, destination: destination(of: $0)) })
  }

  /// Stops the images at `urls`.
  public func stop(_ urls: [URL]) { stop(urls.map { ImageRequest(url: $0) }) }

  func stop(_ batch: PrefetchBatch) { queue.stop(batch) }

  private func completed(_ request: ImageRequest) -> ImageRequest {
    var request = request
    change(&request)
    return pipeline.resolved(request)
  }

  private func destination(of request: ImageRequest) -> Destination { pipeline.destination(of: request, destination) }
}

extension ImagePipeline {
  fileprivate func destination(
    of request: ImageRequest, _ destination: ImagePrefetcher.Destination
  ) -> ImagePrefetcher.Destination {
    guard request.size == nil, request.region == nil, request.processors.isEmpty else { return destination }
    let hasStore = configuration.cache(for: request).encodedStore != nil && request.resolved.storeAccess.writes
    return hasStore ? .store : destination
  }

  fileprivate func prefetch(
    _ request: ImageRequest, to destination: ImagePrefetcher.Destination, _ subscription: LoadSubscription
  ) async -> PrefetchBatch.Outcome {
    do throws(ImageError) {
      switch destination {
      case .memory:
        let loaded = try await loaded(request, subscription)
        return .success(loaded.encoded == nil && loaded.trace.steps.isEmpty ? .skipped : .loaded)
      case .store:
        return .success(try await loader.prefetchToStore(request, subscription))
      }
    } catch {
      return .failure(error)
    }
  }
}
