public import HalcyonSupport
public import Foundation

/// Loads images before somebody looks at them.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(pipeline: pipeline)
/// prefetcher.start(urls)         // the next rows of a list
/// prefetcher.isPaused = true     // while it scrolls fast
/// prefetcher.stop()              // when it has gone
/// ```
///
/// What somebody asks the pipeline for goes before what is prefetched, and takes over a prefetch of the same image that
/// is on its way. All members may be used from any thread. Hold the prefetcher as long as it is to work: it stops when
/// it is released.
public final class ImagePrefetcher: Sendable {
  /// Where images are to be found afterwards.
  public enum Destination: Hashable, Sendable {
    /// In memory, decoded at the size and with the processors of the request, and in the store.
    case memory
    /// In the store only, as they came. They are checked to begin like images and not decoded; sizes and processors do
    /// not matter.
    case store
  }

  /// Where images are to be found afterwards.
  public let destination: Destination

  private let pipeline: ImagePipeline
  private let queue: PrefetchQueue

  /// Creates a prefetcher, which takes next to no memory until it is used.
  ///
  /// - Parameters:
  ///   - destination: Where images are to be found afterwards. Default: in memory.
  ///   - priority: How soon they are wanted, whatever their requests say. Default: low.
  ///   - concurrencyLimit: Images that are loaded at once, at least 1. Default: 5.
  public init(
    pipeline: ImagePipeline, destination: Destination = .memory, priority: ImagePriority = .low,
    concurrencyLimit: Int = 5
  ) {
    precondition(concurrencyLimit > 0, "concurrencyLimit must be at least 1, got \(concurrencyLimit)")
    self.pipeline = pipeline
    self.destination = destination
    queue = PrefetchQueue(priority: priority, concurrencyLimit: concurrencyLimit) { request, subscription in
      await pipeline.prefetch(request, to: destination, subscription: subscription)
    }
  }

  deinit { queue.stop() }

  /// How soon the images are wanted. A change holds for those that are being loaded, too.
  public var priority: ImagePriority {
    get { queue.priority }
    set { queue.priority = newValue }
  }

  /// Images that are loaded at once, at least 1. A change holds at once; no load that goes on is ended by it.
  public var concurrencyLimit: Int {
    get { queue.concurrencyLimit }
    set {
      precondition(newValue > 0, "concurrencyLimit must be at least 1, got \(newValue)")
      queue.concurrencyLimit = newValue
    }
  }

  /// Whether no more loads begin. Those that go on end as usual. Default: `false`.
  public var isPaused: Bool {
    get { queue.isPaused }
    set { queue.isPaused = newValue }
  }

  /// Lines up images after those that wait already; the same image is loaded once.
  ///
  /// Called on an actor, the main actor for example, nothing begins before the actor is free: what is stopped before
  /// that never starts. Makes a key of each request before it returns.
  ///
  /// - Returns: A handle to follow or stop these images, which may be dropped.
  @discardableResult
  public func start(_ requests: [ImageRequest], isolation: isolated (any Actor)? = #isolation) -> PrefetchTask {
    let batch = PrefetchBatch(requests.map(pipeline.resolved), destination: destination)
    queue.announce(batch)
    Task { [queue] in
      _ = isolation
      await queue.begin(batch)
    }
    return PrefetchTask(prefetcher: self, batch: batch)
  }

  /// Lines up the images at some addresses, in their original size: see `start` with requests.
  @discardableResult
  public func start(_ urls: [URL], isolation: isolated (any Actor)? = #isolation) -> PrefetchTask {
    start(urls.map { ImageRequest(url: $0) }, isolation: isolation)
  }

  /// Stops everything, begun or not: all of it is in ``PrefetchResult/failed`` when this returns. The prefetcher may be
  /// used again.
  public func stop() { queue.stop() }

  /// Stops some images, whichever call lined them up; for rows that have left.
  public func stop(_ requests: [ImageRequest]) {
    queue.stop(requests.map { PrefetchKey(pipeline.resolved($0), destination: destination) })
  }

  /// Stops the images at some addresses, lined up in their original size; for rows that have left.
  public func stop(_ urls: [URL]) { stop(urls.map { ImageRequest(url: $0) }) }

  func stop(_ batch: PrefetchBatch) { queue.stop(batch) }
}

extension ImagePipeline {
  fileprivate func prefetch(
    _ request: ImageRequest, to destination: ImagePrefetcher.Destination, subscription: LoadSubscription
  ) async -> PrefetchBatch.Outcome {
    do throws(ImageError) {
      switch destination {
      case .memory:
        return try await undeliveredResponse(for: request, subscription: subscription).origin == .memory
          ? .skipped : .completed
      case .store:
        return try await loader.storeBytes(of: request, subscription: subscription) ? .completed : .skipped
      }
    } catch {
      return .failed(error)
    }
  }
}
