public import HalcyonSupport
public import HalcyonImaging

/// A handle to one load: observes, reprioritizes and cancels it.
///
/// All members may be used from any thread.
///
/// ```swift
/// let task = pipeline.task(for: request)
/// for await progress in task.progress { bar.fraction = progress.fraction ?? 0 }
/// let image = try await task.image
/// ```
public final class ImageTask: Sendable {
  /// An event of a task.
  @nonexhaustive
  public enum Event: Sendable {
    /// More of the body has been received.
    case progress(LoadProgress)
    /// The format and size of the image, read from its first bytes: a view can reserve space for it.
    case info(ImageInfo)
    /// An image to show until the final one is loaded: a stale one (``CachePolicy/staleFirst``), or one decoded
    /// from the bytes received so far (``RequestOptions/previews``).
    case preview(DecodedImage)
    /// The task has ended. Sent exactly once, as the last event.
    case finished(Result<ImageResponse, ImageError>)
  }

  /// The request, with the default options of the pipeline filled in, as ``PipelineConfiguration/requestMapper`` changes it.
  public let request: ImageRequest

  /// An event of a task of a view.
  package enum ViewEvent: Sendable {
    case event(Event)
    /// The stored image, which is stale and is being revalidated.
    case stale(ImageResponse)
  }

  /// All events of the task of a view, for one reader; `nil` for other tasks.
  package let viewEvents: AsyncStream<ViewEvent>?

  private let subscription: LoadSubscription
  private let viewContinuation: AsyncStream<ViewEvent>.Continuation?
  private let broadcast: TaskEvents<Event, ImageResponse>
  private let reporter: LoadReporter?
  private let work: Task<Void, Never>

  /// - Parameters:
  ///   - lookup: The look-up of a view, which has shown the kept preview as well; `nil` for other tasks.
  ///   - completion: Called once with the result.
  init(
    request: ImageRequest, loader: ImageLoader, lookup: MemoryLookup? = nil,
    completion: (@Sendable (Result<ImageResponse, ImageError>) -> Void)? = nil
  ) {
    self.request = request
    let viewStream = lookup.map { _ in AsyncStream.makeStream(of: ViewEvent.self) }
    let view = viewStream?.continuation
    let broadcast = TaskEvents(lastEvent: { Event.finished($0) }, onCompletion: completion)
    @Sendable func send(_ event: Event) {
      view?.yield(.event(event))
      if case .preview = event { broadcast.send(event, isKept: true) } else { broadcast.send(event) }
    }
    let showPreview: @Sendable (DecodedImage) -> Void = { send(.preview(request.delivered($0))) }
    let previews = PreviewMaker(request, by: loader)
    let subscription = LoadSubscription(priority: request.resolved.priority, isOfView: view != nil) { event in
      switch event {
      case .progress(let progress): send(.progress(progress))
      case .info(let info): send(.info(info))
      case .preview(let image): showPreview(image)
      case .stale(let response):
        view?.yield(.stale(response))
        broadcast.send(.preview(response.image), isKept: true)
      case .storedStale, .step, .queue: break
      case .partial(let received): previews?.receive(received, show: showPreview)
      }
    }
    if previews != nil { subscription.requestPartialData() }
    self.broadcast = broadcast
    (viewEvents, viewContinuation) = (viewStream?.stream, view)
    self.subscription = subscription
    let reporter = loader.monitor?.reporter(for: request)
    if let reporter { subscription.report(to: reporter) }
    self.reporter = reporter
    work = Task {
      reporter?.report(.started)
      let load = loader.newLoad(request, after: lookup, for: subscription)
      do throws(ImageError) {
        Self.finish(.success(try await loader.response(load)), broadcast, view, reporter)
      } catch {
        Self.finish(.failure(error), broadcast, view, reporter)
      }
    }
  }

  private static func finish(
    _ result: Result<ImageResponse, ImageError>, _ broadcast: TaskEvents<Event, ImageResponse>,
    _ view: AsyncStream<ViewEvent>.Continuation?, _ reporter: LoadReporter?
  ) {
    broadcast.finish(result) { result in
      reporter?.end(result)
      view?.yield(.event(.finished(result)))
      view?.finish()
    }
  }

  /// The priority of the load. May be changed while it is in flight.
  public var priority: ImagePriority {
    get { subscription.priority }
    set { subscription.priority = newValue }
  }

  /// Ends the task with ``ImageError/cancelled``, unless it has ended already. Idempotent.
  ///
  /// ``result`` is set when this returns. Work shared with other tasks continues for them.
  public func cancel() {
    Self.finish(.failure(.cancelled), broadcast, viewContinuation, reporter)
    work.cancel()
  }

  /// From now on the load joins work that others have started, and starts none: it ends if there is none to join.
  package func joinOnly() { subscription.joinOnly() }

  /// The last progress of the transfer; `nil` if there was none, as for cached images.
  package var latestProgress: LoadProgress? { subscription.latestProgress }

  /// The result, or `nil` while the load is in flight.
  public var result: Result<ImageResponse, ImageError>? { broadcast.result }

  /// The image and its origin; waits for the end of the load.
  ///
  /// Cancelling the calling task ends the wait with ``ImageError/cancelled``. It also cancels the load, unless something
  /// else waits for it: another caller, a stream of ``events``, or a completion handler.
  public var response: ImageResponse {
    get async throws(ImageError) { try await broadcast.value(cancel: cancel) }
  }

  /// The image; waits for the end of the load. Cancelling the calling task has the same effect as for ``response``.
  public var image: DecodedImage {
    get async throws(ImageError) { try await response.image }
  }

  /// The events from now on, ending with ``Event/finished(_:)``.
  ///
  /// Every call returns a new stream. One opened during the load begins with the format and size, the last progress and the
  /// last preview, as far as there are any; one opened after the end yields the result immediately. A stream buffers the newest 64
  /// events: a slow reader misses the oldest ones, never the last.
  public var events: AsyncStream<Event> {
    broadcast.stream { [subscription] in subscription.latestEvents.compactMap(\.taskEvent) }
  }

  /// The progress of the transfer among the ``events``; it ends with the load.
  public var progress: AsyncCompactMapSequence<AsyncStream<Event>, LoadProgress> {
    events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
  }

  /// The images to show until the final one is loaded, among the ``events``; it ends with the load.
  public var previews: AsyncCompactMapSequence<AsyncStream<Event>, DecodedImage> {
    events.compactMap { if case .preview(let image) = $0 { image } else { nil } }
  }
}

extension LoadEvent {
  /// The event for streams of a task that are opened later; `nil` for events that are not repeated.
  fileprivate var taskEvent: ImageTask.Event? {
    switch self {
    case .progress(let progress): .progress(progress)
    case .info(let info): .info(info)
    case .partial, .preview, .step, .storedStale, .stale, .queue: nil
    }
  }
}
