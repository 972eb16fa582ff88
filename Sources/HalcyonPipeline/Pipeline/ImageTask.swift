public import HalcyonSupport
public import HalcyonImaging

/// A load that is going on.
///
/// All members may be used from any thread.
public final class ImageTask: Sendable {
  /// What a task tells those who follow it.
  @nonexhaustive
  public enum Event: Sendable {
    /// More of the body has arrived.
    case progress(LoadProgress)
    /// What the first bytes tell of the image, its size above all: room can be kept for it.
    case info(ImageInfo)
    /// An image to show until the final one is there: one that is no longer fresh
    /// (``ImageRequest/showsStaleFirst``), or one made of the part that has arrived.
    case preview(DecodedImage)
    /// The task has ended. Always the last event, and always there.
    case finished(Result<ImageResponse, ImageError>)
  }

  /// What is loaded.
  public let request: ImageRequest

  /// Everything that happens from the beginning on, for one reader; `nil` unless it was asked for.
  package let allEvents: AsyncStream<Event>?

  private let subscription: LoadSubscription
  private let broadcast: EventBroadcast
  private let reporter: LoadReporter?
  private let work: Task<Void, Never>

  /// - Parameters:
  ///   - lookup: The outcome of the look-up in memory, if the caller has made it.
  ///   - onCompletion: Called with the outcome, once.
  init(
    request: ImageRequest, loader: ImageLoader, lookup: MemoryLookup? = nil, keepsAllEvents: Bool = false,
    onCompletion: (@Sendable (Result<ImageResponse, ImageError>) -> Void)? = nil
  ) {
    self.request = request
    let broadcast = EventBroadcast(onCompletion: onCompletion)
    let previews = PreviewMaker(request, configuration: loader.configuration, workers: loader.workers)
    let subscription = LoadSubscription(priority: request.priority) { event in
      switch event {
      case .progress(let progress): broadcast.send(.progress(progress))
      case .info(let info): broadcast.send(.info(info))
      case .preview(let image): broadcast.send(.preview(request.delivered(image)))
      case .step: break
      case .partial(let data, let info):
        previews?.receive(data, info) { broadcast.send(.preview(request.delivered($0))) }
      }
    }
    if previews != nil { subscription.requestPartialData() }
    self.broadcast = broadcast
    allEvents = keepsAllEvents ? broadcast.stream() : nil
    self.subscription = subscription
    let reporter = loader.monitor?.reporter(for: request)
    if let reporter { subscription.report(to: reporter) }
    self.reporter = reporter
    work = Task {
      reporter?.report(.started)
      let keys = RequestKeys(request)
      let lookup = lookup ?? loader.lookUpMemory(request, key: keys.image)
      loader.configuration.report(lookup.event(for: request), to: subscription)
      if case .hit(let image) = lookup {
        let response = await request.delivered(ImageResponse(memory: image))
        return broadcast.finish(.success(response), reporter)
      }
      do throws(ImageError) {
        let response = try await loader.response(for: request, keys: keys, after: lookup, subscription)
        broadcast.finish(.success(await request.delivered(response)), reporter)
      } catch {
        broadcast.finish(.failure(error), reporter)
      }
    }
  }

  /// How soon the image is wanted. May be changed while the load goes on.
  public var priority: ImagePriority {
    get { subscription.priority }
    set { subscription.priority = newValue }
  }

  /// Ends the task with ``ImageError/cancelled``, unless it has ended already. May be called any number of times.
  ///
  /// The outcome is there when this returns; work shared with other tasks goes on for them.
  public func cancel() {
    broadcast.finish(.failure(.cancelled), reporter)
    work.cancel()
  }

  /// The outcome, or `nil` while the load goes on.
  public var result: Result<ImageResponse, ImageError>? { broadcast.result }

  /// The image and where it came from; waits for the end of the load.
  ///
  /// Cancelling the caller ends only the wait.
  public var response: ImageResponse {
    get async throws(ImageError) {
      for await event in events {
        if case .finished(let result) = event { return try result.get() }
      }
      throw .cancelled
    }
  }

  /// The image; waits for the end of the load.
  public var image: DecodedImage {
    get async throws(ImageError) { try await response.image }
  }

  /// What happens from now on, ending with ``Event/finished(_:)``. Every call gives a stream of its own; one opened
  /// after the end gives the outcome at once. A reader that falls behind misses the oldest events, never the last.
  public var events: AsyncStream<Event> { broadcast.stream() }
}

/// Sends the events of one task to all its streams.
private final class EventBroadcast: Sendable {
  private struct State {
    var streams = ObserverList<AsyncStream<ImageTask.Event>.Continuation>()
    var result: Result<ImageResponse, ImageError>?
  }

  private let state = Lock(State())
  private let onCompletion: (@Sendable (Result<ImageResponse, ImageError>) -> Void)?

  init(onCompletion: (@Sendable (Result<ImageResponse, ImageError>) -> Void)?) {
    self.onCompletion = onCompletion
  }

  var result: Result<ImageResponse, ImageError>? { state.withLock(\.result) }

  func stream() -> AsyncStream<ImageTask.Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ImageTask.Event.self, bufferingPolicy: .bufferingNewest(64))
    let (id, result): (UInt64?, Result<ImageResponse, ImageError>?) = state.withLock { state in
      (state.result == nil ? state.streams.add(continuation) : nil, state.result)
    }
    if let id {
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
    } else if let result {
      continuation.yield(.finished(result))
      continuation.finish()
    }
    return stream
  }

  func send(_ event: ImageTask.Event) {
    for stream in state.withLock({ $0.streams.all }) { stream.yield(event) }
  }

  func finish(_ result: Result<ImageResponse, ImageError>, _ reporter: LoadReporter?) {
    let streams: [AsyncStream<ImageTask.Event>.Continuation]? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      return state.streams.removeAll()
    }
    guard let streams else { return }
    reporter?.end(result)
    for stream in streams {
      stream.yield(.finished(result))
      stream.finish()
    }
    onCompletion?(result)
  }

  private func remove(_ id: UInt64) {
    let removed = state.withLock { $0.streams.remove(id) }
    withExtendedLifetime(removed) {}
  }
}
