public import HalcyonSupport
public import HalcyonImaging
public import Foundation

/// A handle to one load of encoded bytes: observes, reprioritizes and cancels it.
///
/// All members may be used from any thread.
///
/// ```swift
/// let task = pipeline.dataTask(for: request)
/// let data = try await task.data
/// ```
public final class DataTask: Sendable {
  /// An event of a task.
  @nonexhaustive
  public enum Event: Sendable {
    /// More of the body has been received.
    case progress(LoadProgress)
    /// The format and size of the image, read from its first bytes.
    case info(ImageInfo)
    /// The task has ended. Sent exactly once, as the last event.
    case finished(Result<Data, ImageError>)
  }

  /// The request, with the default options of the pipeline filled in.
  public let request: ImageRequest

  private let subscription: LoadSubscription
  private let broadcast: TaskEvents<Event, Data>
  private let work: Task<Void, Never>

  init(request: ImageRequest, loader: ImageLoader) {
    self.request = request
    let broadcast = TaskEvents<Event, Data>(lastEvent: { .finished($0) })
    let subscription = LoadSubscription(priority: request.priority) { event in
      if let event = event.dataEvent { broadcast.send(event) }
    }
    self.broadcast = broadcast
    self.subscription = subscription
    work = Task {
      do throws(ImageError) {
        broadcast.finish(.success(try await loader.encodedImage(for: request, subscription: subscription).data))
      } catch {
        broadcast.finish(.failure(error))
      }
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
    broadcast.finish(.failure(.cancelled))
    work.cancel()
  }

  /// The last progress of the transfer; `nil` if there was none, as for stored bytes.
  public var progress: LoadProgress? { subscription.latestProgress }

  /// The result, or `nil` while the load is in flight.
  public var result: Result<Data, ImageError>? { broadcast.result }

  /// The encoded bytes; waits for the end of the load.
  ///
  /// Cancelling the calling task ends the wait with ``ImageError/cancelled``. It also cancels the load, unless something
  /// else waits for it: another caller, or a stream of ``events``.
  public var data: Data {
    get async throws(ImageError) { try await broadcast.value(cancel: cancel) }
  }

  /// The events from now on, ending with ``Event/finished(_:)``; see ``ImageTask/events``.
  public var events: AsyncStream<Event> {
    broadcast.stream { [subscription] in subscription.latestEvents.compactMap(\.dataEvent) }
  }
}

extension LoadEvent {
  /// The event as subscribers of a ``DataTask`` see it; `nil` for those that concern images.
  fileprivate var dataEvent: DataTask.Event? {
    switch self {
    case .progress(let progress): .progress(progress)
    case .info(let info): .info(info)
    case .partial, .preview, .step, .storedStale, .queue: nil
    }
  }
}
