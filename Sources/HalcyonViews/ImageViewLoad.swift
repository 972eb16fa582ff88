import HalcyonHTTP
import HalcyonImaging
public import HalcyonPipeline
import HalcyonSupport

/// The load that one `setImage` call has started for one view.
///
/// A cached image is shown at once, also if it is stale; then it is revalidated in the background, and replaced in place
/// if it has changed. As long as the view is set to its image, the load also loads that image again: at another size when
/// the view grows or shrinks, and when a view with ``ImageViewOptions/onlyWhileVisible`` becomes visible again.
@MainActor
public final class ImageViewLoad {
  private(set) var viewRequest: ViewRequest
  private var state = ViewLoadState.created
  private weak var binder: ImageViewBinder?
  private let loader: ViewLoader
  private let placeholderTiming: PlaceholderTiming
  private var progress: LoadProgress?
  private var progressActions: [@MainActor (LoadProgress) -> Void] = []
  private var onCompletion: ImageViewProxy.Completion?

  init(
    _ viewRequest: ViewRequest, binder: ImageViewBinder, time: any TimeSource, onCompletion: ImageViewProxy.Completion?
  ) {
    (self.viewRequest, self.binder, self.onCompletion) = (viewRequest, binder, onCompletion)
    loader = ViewLoader(viewRequest, isVisible: binder.isVisible, time: time)
    placeholderTiming = PlaceholderTiming(time: time)
    // A load that never starts counts as a member too.
    options.transitionGroup?.join(self)
  }

  /// Calls a closure with the progress of the load: now if bytes have been received, and with each change until the load
  /// ends or is superseded. A load may have several closures.
  ///
  /// - Returns: The load.
  @discardableResult
  public func onProgress(_ action: @escaping @MainActor (LoadProgress) -> Void) -> ImageViewLoad {
    guard isCurrent, !isFinished else { return self }
    progressActions.append(action)
    if let progress { action(progress) }
    return self
  }

  /// Cancels the load with ``ImageViewError/cancelled(request:)``, unless it has finished. The view's content stays.
  ///
  /// A revalidation in the background ends as well.
  public func cancel() {
    stop()
    loader.cancel()
    end(.cancelled(request: viewRequest.request))
  }

  private var options: ImageViewOptions { viewRequest.options }
}

/// Members that the binder reads and calls.
extension ImageViewLoad {
  /// Whether its completion has been called.
  package var isFinished: Bool { state.isFinished }

  /// Whether the image is being loaded, for the first time or after the view has released it.
  ///
  /// The revalidation of an image that is shown does not count.
  var isLoading: Bool { state.isLoading || isReloading }

  /// Whether the view loads its image, or shows it with a transition, and waits for nothing else.
  var isBusy: Bool {
    if case .waiting = state { return false }
    return !isFinished || loader.isLoadingSecondary
  }

  /// Why the view does not show the image; `nil` while it does, or while the image is being loaded.
  var error: ImageViewError? { state.error }

  /// The phase of a view that shows `content`.
  func phase(showing content: DisplayContent) -> ImagePhase {
    state.phase(showing: content, progress, isReloading: isReloading)
  }

  /// Whether a released image is being loaded again.
  private var isReloading: Bool {
    if case .released = state { return loader.isLoadingSecondary }
    return false
  }

  /// Applies a placeholder and options that do not change what is loaded.
  func adopt(_ options: ImageViewOptions, _ placeholder: ImagePlaceholder?, priority: ImagePriority?) {
    viewRequest = viewRequest.with(options, placeholder, priority: priority)
    loader.adopt(viewRequest)
  }

  /// While the image is loading: shows a placeholder and an indicator that were set meanwhile, and removes an indicator
  /// that is no longer set.
  func showAdopted() {
    guard let binder else { return }
    switch state {
    case .waiting, .loading: break
    default: return
    }
    binder.changeIndicator(for: viewRequest)
    guard viewRequest.placeholder != nil, binder.content.isEmpty else { return }
    showPlaceholder(after: viewRequest.placeholderDelay)
  }

  func start() {
    guard let binder, let display = binder.display else { return supersede() }
    guard viewRequest.request != nil else {
      binder.show(viewRequest.placeholderContent)
      end(.emptySource)
      options.transitionGroup?.leave(self)
      return
    }
    // A load that waits until its view is visible does not delay the group.
    if !mayHoldImage { options.transitionGroup?.leave(self) }
    begin(on: display)
  }

  func displayDidChange() {
    guard isCurrent, let display = binder?.display else { return }
    switch state {
    case .waiting: begin(on: display)
    case .shown(let image):
      loader.reloadIfResized(image, on: display) { [self] result in
        if case .success(let response) = result { showLater(response.image) } else { binder?.updatePhase() }
      }
    default: break
    }
  }

  /// A hidden view loads at the lowest priority, and may release its image.
  func visibilityDidChange(_ isVisible: Bool) {
    loader.isVisible = isVisible
    switch state {
    case .released where mayHoldImage: restoreImage()
    case .shown where !mayHoldImage, .released: releaseImage()
    default: break
    }
    displayDidChange()
  }

  /// The view has been set to another image, or released.
  ///
  /// - Parameters:
  ///   - next: The load of the other image.
  ///   - endsNow: Whether it completes before this returns, also if it goes on.
  func supersede(by next: ImageViewLoad? = nil, endsNow: Bool = false) {
    willReleaseImage()
    // A task may have ended before its last event arrives.
    let result = loader.task?.result ?? .failure(.cancelled)
    let finishes = options.finishesSuperseded == true && loader.task != nil
    stop()
    if finishes { loader.finishInBackground() } else { loader.supersede(by: next?.loader) }
    switch state {
    case .pending(let result): end(.superseded(result, request: viewRequest.request))
    case .loading where finishes && !endsNow: break
    default: end(.superseded(result, request: viewRequest.request))
    }
  }

}

/// The first result.
extension ImageViewLoad {
  /// Whether the view has not been set to another image. Otherwise late results are dropped; there is no other check.
  private var isCurrent: Bool { binder?.current === self }

  /// Whether the view may hold its image now.
  private var mayHoldImage: Bool { options.onlyWhileVisible != true || binder?.isVisible != false }

  /// Whether previews and a first result are to come.
  private var awaitsImage: Bool {
    if isCurrent, case .loading = state { return true }
    return false
  }

  private func begin(on display: any ImageDisplay) {
    guard mayHoldImage, let (sized, lookup) = loader.lookUp(on: display) else {
      loader.releaseTransfers()
      return showLoading(.waiting)
    }
    if let image = viewRequest.cachedImage(lookup, for: sized.request) {
      if options.transitionGroup != nil { showLoading(.loading) }
      return showCached(ImageResponse(memory: image, for: sized.request), sized, lookup)
    }
    if let error = viewRequest.pipeline.sourceError(of: sized.request) {
      if binder?.contentStays(for: viewRequest) == false { binder?.show(.nothing) }
      return end(.failure(error))
    }
    showLoading(.loading)
    // The closure of a placeholder or an indicator may have cancelled this load or set another image.
    guard awaitsImage else { return }
    if let image = lookup.staleImage, sized.request.resolved.cachePolicy == .revalidate {
      showPreview(viewRequest.pipeline.delivered(image, for: sized.request))
    } else {
      if let preview = viewRequest.pipeline.keptPreview(for: sized.request) { showPreview(preview) }
      loader.loadLowResolution(on: display) { [self] in
        var content = DisplayContent(.image($0), role: .preview)
        content.renderingMode = options.renderingMode
        showPreview(content)
      }
    }
    // The display may have done so too, after showing an image from memory.
    if awaitsImage { loader.load(sized, after: lookup) { [self] in receive($0) } }
  }

  /// Shows an image from memory, and revalidates it in the background if it is stale.
  private func showCached(_ response: ImageResponse, _ sized: SizedRequest, _ lookup: MemoryLookup) {
    if case .stale = lookup {
      loader.load(sized, after: lookup) { [self] in receive($0) }
      loader.task?.becomeRevalidation()
    }
    end(.success(response))
  }

  private func receive(_ event: ImageTask.ViewEvent) {
    switch event {
    case .event(.finished(let result)):
      let ended = loader.taskDidEnd()
      if case .loading = state { end(result) } else { didRevalidate(result, ended) }
    case _ where !isCurrent || isFinished: break
    case .event(.progress(let progress)): report(progress)
    case .event(.info(let info)): binder?.display?.expectImage(info)
    case .event(.preview(let image)): showPreview(image)
    case .stale(let response): showStale(response)
    }
  }

  private func report(_ progress: LoadProgress) {
    self.progress = progress
    binder?.updateIndicator(progress)
    for action in progressActions { action(progress) }
    binder?.updatePhase()
  }

  private func showPreview(_ image: DecodedImage) { showPreview(loader.content(image, .preview)) }

  private func showPreview(_ content: DisplayContent) {
    guard awaitsImage, options.transitionGroup == nil else { return }
    placeholderTiming.end { [self] in
      binder?.show(content)
      binder?.updatePhase()
    }
  }

  /// Shows a stored image that is being revalidated. An explicit revalidation completes with its own result.
  private func showStale(_ response: ImageResponse) {
    guard awaitsImage, let task = loader.task else { return }
    guard task.sized.request.resolved.cachePolicy.followsHTTP else { return showPreview(response.image) }
    task.becomeRevalidation()
    end(.success(response))
  }

  /// Shows the result as soon as the placeholder may be replaced, or together with the group.
  private func end(_ result: Result<ImageResponse, ImageError>) {
    guard isCurrent else { return end(.superseded(result, request: viewRequest.request)) }
    state = .pending(result)
    loader.cancelSecondary()
    let showResult: @MainActor @Sendable () -> Void = { [self] in show(result) }
    if let group = options.transitionGroup {
      group.didLoad(self, show: showResult)
    } else {
      placeholderTiming.end(showResult)
    }
  }

  private func show(_ result: Result<ImageResponse, ImageError>) {
    guard case .pending = state, let binder else { return }
    stop()
    guard binder.display != nil else { return end(.superseded(result, request: viewRequest.request)) }
    switch result {
    case .success(let response): show(response)
    case .failure(.cancelled): end(.cancelled(request: viewRequest.request))
    case .failure(let error):
      state = .failed(.loading(error))
      binder.showFailure(of: viewRequest)
      complete(.failure(.loading(error)))
    }
  }

  private func show(_ response: ImageResponse) {
    guard mayHoldImage else {
      releaseImage()
      return complete(.success(response))
    }
    let transition = ViewLoadState.Transition(response)
    state = .transitioning(transition)
    let content = loader.content(response.image, .image)
    binder?.show(content, transition: viewRequest.transition(from: response.origin)) { [self] in
      guard let result = state.end(transition) else { return }
      complete(result)
      // The display may have been resized during the load.
      displayDidChange()
    }
    if isCurrent { binder?.updatePhase() }
    checkFile()
  }

  /// Ends the load before its image is shown, or the transition of its image.
  private func end(_ error: ImageViewError) {
    if let result = state.end(error) { complete(result) }
  }

  private func complete(_ result: ViewLoadState.Result) {
    progressActions = []
    let completion = onCompletion
    onCompletion = nil
    completion?(result)
    if isCurrent { binder?.updatePhase() }
  }

  /// Stops timers and the indicator, and leaves the group.
  private func stop() {
    placeholderTiming.cancel()
    if isCurrent { binder?.stopIndicator() }
    options.transitionGroup?.leave(self)
  }

  /// Enters a state before the first result. The first time, shows the indicator at once and the placeholder after its
  /// delay.
  private func showLoading(_ next: ViewLoadState) {
    let isFirst = if case .created = state { true } else { false }
    state = next
    guard isFirst, let binder else { return }
    binder.startIndicator(for: viewRequest)
    if binder.contentStays(for: viewRequest) { return }
    let delay = viewRequest.isRetry ? .zero : viewRequest.placeholderDelay
    if delay > .zero, !binder.content.isEmpty { binder.show(.nothing) }
    guard viewRequest.placeholder != nil || delay <= .zero else { return }
    showPlaceholder(after: delay)
  }

  private func showPlaceholder(after delay: Duration) {
    // The timer retains the load, which holds the binder weakly: it does not keep a released view alive.
    placeholderTiming.begin(delay: delay) { [self] in binder?.show(viewRequest.placeholderContent) }
  }
}

/// Later versions of the image.
extension ImageViewLoad {
  private func showLater(_ image: DecodedImage, _ transition: ImageTransition = .immediate) {
    guard isCurrent else { return }
    guard mayHoldImage else { return releaseImage() }
    state = .shown(image)
    binder?.show(loader.content(image, .image), transition: transition)
    binder?.updatePhase()
    checkFile()
    // The view may have been resized since; then it loads the image again.
    displayDidChange()
  }

  /// Replaces the shown image in place if it has changed. Otherwise, and if the revalidation has failed, it stays.
  private func didRevalidate(
    _ result: Result<ImageResponse, ImageError>, _ ended: SizedRequest?, hasChanged: Bool = false
  ) {
    guard isCurrent, case .success(let response) = result else { return }
    // The stale image has not been shown yet.
    guard isFinished else { return end(result) }
    guard let image = state.image, let ended,
      hasChanged || response.image.facts.freshness?.version != image.facts.freshness?.version
    else { return }
    loader.willShow(ended)
    showLater(response.image, viewRequest.transition(from: response.origin))
  }

  /// Compares an image from memory with its file, and replaces it if the file has changed.
  private func checkFile() {
    loader.checkFile { [weak self] in self?.didRevalidate($0, self?.loader.sized, hasChanged: true) }
  }

  /// Replaces the image of a hidden view by the placeholder.
  private func releaseImage() {
    loader.cancelSecondary()
    willReleaseImage()
    state = .released(nil)
    binder?.show(viewRequest.placeholderContent)
    binder?.updatePhase()
  }

  private func willReleaseImage() {
    if state.image != nil { loader.willReleaseImage() }
  }

  /// Shows a released image again, from memory or after a reload.
  ///
  /// A failed reload is tried again when the view becomes visible the next time.
  private func restoreImage() {
    guard let display = binder?.display else { return }
    loader.reload(at: viewRequest.sized(for: display)) { [self] result in
      switch result {
      case .success(let response): showLater(response.image, viewRequest.transition(from: response.origin))
      case .failure(.cancelled): break
      case .failure(let error):
        state = .released(error)
        binder?.showFailure(of: viewRequest)
        binder?.updatePhase()
      }
    }
  }
}
