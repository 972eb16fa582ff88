import HalcyonImaging
public import HalcyonPipeline
package import HalcyonSupport

/// Loads the images of one view. The adapter of the view owns the binder, and notifies it of what happens to the view.
///
/// Programs use ``hc``, which sets images and observes them. A view shows the image that was set last, and never the late
/// result of an earlier call. Releasing the binder cancels its load.
@MainActor
public final class ImageViewBinder {
  /// Sets and observes the image of the view: what a view offers to programs.
  public var hc: ImageViewProxy { ImageViewProxy(binder: self) }

  /// The view's own pipeline.
  package lazy var pipeline: ImagePipeline = makePipeline()
  /// The options of all images of the view, for those that a call does not set.
  package var options = ImageViewOptions()
  /// Plays, pauses and observes the animation that the view shows.
  package private(set) lazy var animation = AnimationController(self)
  /// Called with each new phase of the view, after completions.
  package var onPhaseChange: (@MainActor (ImagePhase) -> Void)?
  /// The state of the view's load.
  package private(set) var phase = ImagePhase.empty

  /// The load of the image that was set last, whether it has finished or not.
  private(set) var current: ImageViewLoad?
  /// The load that ``phase`` is of.
  private weak var phaseLoad: ImageViewLoad?
  /// Superseded loads that go on, with completions that are still to be called.
  private var supersededLoads: [ImageViewLoad] = []
  /// The pipeline that counts this view as busy.
  private var busyPipeline: ImagePipeline?
  /// Whether the view is being destroyed.
  private var hasEnded = false
  private let shown: ShownContent
  private let makePipeline: () -> ImagePipeline
  private let time: (any TimeSource)?

  /// Creates a binder.
  ///
  /// - Parameters:
  ///   - display: The display of the view. Not retained, so it may own the binder.
  ///   - pipeline: The view's own pipeline.
  public convenience init(display: any ImageDisplay, pipeline: ImagePipeline) {
    self.init(display: display) { pipeline }
  }

  /// Creates a binder whose own pipeline is created at its first use.
  ///
  /// - Parameter time: The clock of all delays. Default: `nil`, the clock of the pipeline that loads the image.
  package init(
    display: any ImageDisplay, time: (any TimeSource)? = nil, makePipeline: @escaping () -> ImagePipeline
  ) {
    shown = ShownContent(display)
    (self.time, self.makePipeline) = (time, makePipeline)
    shown.onEvent = { [weak self] in self?.animation.onEvent?($0) }
  }

  deinit {
    busyPipeline?.busyViewCount.withLock { $0 -= 1 }
    guard let current else { return }
    Task { @MainActor in current.supersede() }
  }

  /// Supersedes the loads of a view that is being destroyed, and calls all completions while they can use the view.
  ///
  /// Loads with ``ImageViewOptions/finishesSuperseded`` go on. Images that are set later are not loaded: their
  /// completions are called at once.
  package func end() {
    hasEnded = true
    shown.isVisible = false
    shown.stopIndicator()
    let loads = supersededLoads + [current].compactMap(\.self)
    (supersededLoads, current) = ([], nil)
    for load in loads { load.supersede(endsNow: true) }
    countIfBusy()
  }

  /// The display of the view; `nil` after it has been released.
  package var display: (any ImageDisplay)? { shown.display }

  /// What the display shows.
  package var content: DisplayContent { shown.content }

  /// Plays animations; `nil` before the first one.
  package var driver: AnimationDriver? { shown.driver }

  /// The pipeline of the load of the image that was set last.
  package var currentPipeline: ImagePipeline? { current?.viewRequest.pipeline }

  /// Whether a load is in flight.
  package var isLoading: Bool { current?.isLoading ?? false }

  /// Whether the view is visible. Set by the adapter. Default: `true`.
  public var isVisible = true {
    didSet {
      guard isVisible != oldValue else { return }
      shown.isVisible = isVisible && !hasEnded
      current?.visibilityDidChange(isVisible)
      updatePhase()
    }
  }

  /// Cancels the load in flight, if any. The view's content stays.
  package func cancel() {
    current?.cancel()
    updatePhase()
  }

  /// Loads an image that has failed or was cancelled again.
  @discardableResult
  package func retry(completion: ImageViewProxy.Completion? = nil) -> ImageViewLoad? {
    guard let current, current.error?.canRetry == true else { return nil }
    var request = current.viewRequest
    request.isRetry = true
    return apply(request, completion)
  }

  /// Retries a failed load if the options set ``ImageViewOptions/retriesOnTap``.
  ///
  /// The adapter calls this when the view is tapped.
  ///
  /// - Returns: Whether a retry has started, so that the tap is handled.
  @discardableResult
  public func didTap() -> Bool {
    guard retriesOnTap else { return false }
    retry()
    return true
  }

  /// Whether a tap on the view would retry a failed load.
  package var retriesOnTap: Bool {
    current?.error?.canRetry == true && current?.viewRequest.options.retriesOnTap == true
  }

  /// Starts a load that has waited for a size, and loads an image again if it has become too small.
  ///
  /// The adapter calls this when the display's size, scale or mode has changed.
  public func displayDidChange() {
    current?.displayDidChange()
    updatePhase()
  }

  /// Whether `request` was set last and has not been cancelled; `nil` stands for a view without an image.
  ///
  /// Setting the same request again would only repeat its result. For toolkits that update their views at any change of
  /// state.
  ///
  /// - Parameters:
  ///   - request: Compared by its cache key and its cache policy.
  ///   - pipeline: The pipeline that has to load the image. Default: `nil`, any.
  package func isBound(to request: ImageRequest?, pipeline: ImagePipeline? = nil) -> Bool {
    guard let current, current.error?.isCancellation != true else { return false }
    let bound = current.viewRequest
    guard let request else { return bound.request == nil }
    return bound.isSame(as: ViewRequest(request, nil, bound.options, pipeline ?? bound.pipeline))
      && bound.request?.resolved.cachePolicy == request.resolved.cachePolicy
  }

  /// Applies a placeholder, options and a priority to the current load, which goes on: for toolkits that evaluate their views again at any
  /// change of state.
  ///
  /// The group and the size of the load stay.
  package func adopt(_ options: ImageViewOptions, _ placeholder: ImagePlaceholder?, priority: ImagePriority?) {
    guard let current else { return }
    current.adopt(options, placeholder, priority: priority)
    display?.prepare(for: current.viewRequest.options, pipeline: current.viewRequest.pipeline)
  }

  /// Shows a placeholder or an indicator that ``adopt(_:_:priority:)`` has added to a load that goes on.
  package func showAdopted() {
    current?.showAdopted()
    updatePhase()
  }

  /// Shows the image of a request, superseding the previous load of the view.
  func apply(_ request: ViewRequest, _ completion: ImageViewProxy.Completion?) -> ImageViewLoad? {
    guard !hasEnded else {
      completion?(.failure(.superseded(.failure(.cancelled), request: request.request)))
      return nil
    }
    shown.prepare(for: request)
    let load = ImageViewLoad(
      request, binder: self, time: time ?? request.pipeline.configuration.time, onCompletion: completion)
    let previous = current
    current = load
    shown.stopIndicator()
    previous?.supersede(by: load)
    supersededLoads.removeAll(where: \.isFinished)
    if let previous, !previous.isFinished { supersededLoads.append(previous) }
    // The completion of the previous load may have set another image.
    if current === load { load.start() }
    updatePhase()
    return load.isFinished ? nil : load
  }
}

/// Methods that the current load calls.
extension ImageViewBinder {
  /// - Parameter onEnd: Called once, at the end of the transition.
  func show(
    _ content: DisplayContent, transition: ImageTransition = .immediate, onEnd: (@MainActor () -> Void)? = nil
  ) {
    let request = current?.viewRequest
    shown.show(
      content, of: request, transition: transition, time: time ?? request?.pipeline.configuration.time ?? SystemTime(),
      onEnd: onEnd)
  }

  /// Shows the content for a load that has failed.
  func showFailure(of request: ViewRequest) {
    switch request.options.failure ?? .keepsPlaceholder {
    case .keepsPlaceholder: if content.isEmpty, request.placeholder != nil { show(request.placeholderContent) }
    case .shows(let placeholder):
      show(
        DisplayContent(placeholder.picture, role: .failure), transition: request.options.transition ?? .immediate)
    case .clears: show(.nothing)
    }
  }

  func startIndicator(for request: ViewRequest) { shown.startIndicator(request.options.indicator ?? .hidden) }

  func changeIndicator(for request: ViewRequest) { shown.changeIndicator(request.options.indicator ?? .hidden) }

  func updateIndicator(_ progress: LoadProgress) { shown.updateIndicator(progress) }

  func stopIndicator() { shown.stopIndicator() }

  /// Whether the content stays while the image of `request` is loaded.
  func contentStays(for request: ViewRequest) -> Bool { shown.stays(for: request) }

  /// The phase of a view that shows `content`.
  func phaseShowing(_ content: DisplayContent) -> ImagePhase { current?.phase(showing: content) ?? .empty }

  private func countIfBusy() {
    let pipeline = current?.isBusy == true ? current?.viewRequest.pipeline : nil
    guard pipeline !== busyPipeline else { return }
    pipeline?.busyViewCount.withLock { $0 += 1 }
    busyPipeline?.busyViewCount.withLock { $0 -= 1 }
    busyPipeline = pipeline
  }

  /// Notifies of the phase if it is another one.
  func updatePhase() {
    countIfBusy()
    let new = phaseShowing(content)
    guard !new.isSame(as: phase) || phase.error != nil && phaseLoad !== current else { return }
    (phase, phaseLoad) = (new, current)
    display?.phaseDidChange(new)
    onPhaseChange?(new)
  }
}
