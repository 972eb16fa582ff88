import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport

/// The state of a view's display: its content, the animation that plays in it, and the indicator over it.
@MainActor
final class ShownContent {
  /// The display of the view; `nil` after it has been released.
  private(set) weak var display: (any ImageDisplay)?
  private(set) var content: DisplayContent = .nothing
  /// Plays animations; `nil` before the first one.
  private(set) var driver: AnimationDriver?
  /// Whether animations may play; a hidden view plays none.
  var isVisible = true { didSet { driver?.isVisible = isVisible } }
  /// Receives the events of the animation.
  var onEvent: (@MainActor (AnimationEvent) -> Void)?

  /// The request of the content; `nil` for content of the program.
  private var request: ViewRequest?
  /// The custom transition of the content.
  private var transition: TransitionSteps?
  private var hasIndicator = false
  /// Counts contents, so that replaced content is not played.
  private var number = 0

  init(_ display: any ImageDisplay) { self.display = display }

  /// Prepares the display for a request, and takes over what the program has set on the view itself.
  func prepare(for request: ViewRequest) {
    display?.prepare(for: request.options, pipeline: request.pipeline)
    if let own = display?.adoptProgramContent() { (content, self.request) = (own, nil) }
  }

  /// Whether the shown image stays while `next` is loaded: because the options say so, or because the image is the
  /// same.
  func stays(for next: ViewRequest) -> Bool {
    content.hasLoadedImage && (next.options.keepsCurrentImage == true || request.map(next.isSame) == true)
  }

  /// Shows a content of a request.
  ///
  /// - Parameters:
  ///   - time: The clock of an animation in a display without frame clocks.
  ///   - onEnd: Called once, at the end of the transition.
  func show(
    _ content: DisplayContent, of request: ViewRequest?, transition: ImageTransition, time: any TimeSource,
    onEnd: (@MainActor () -> Void)?
  ) {
    let old = self.content
    (self.content, self.request) = (content, request)
    driver?.player = nil
    let previous = self.transition
    self.transition = nil
    // Last, since the completion may set another image.
    defer { previous?.end() }
    number += 1
    let playback = content.role == .image ? request?.options.playback : nil
    let play: @MainActor () -> Void = { [weak self, number] in
      if let self, self.number == number { self.play(content, playback ?? AnimationPlayback(), time) }
    }
    guard let display else {
      onEnd?()
      return
    }
    if case .custom(let animate) = transition {
      guard let view = display.transitionView else {
        display.show(content, transition: .immediate)
        play()
        onEnd?()
        return
      }
      let steps = TransitionSteps(
        show: { [weak self, weak display, number] in
          guard let self, self.number == number else { return }
          display?.show(content, transition: .immediate)
          play()
        }, onEnd: onEnd)
      self.transition = steps
      animate(CustomTransition(view, from: old.image, to: content.image, steps))
    } else if let onEnd {
      display.show(content, transition: transition) {
        // The completion may control the animation.
        play()
        onEnd()
      }
      play()
    } else {
      display.show(content, transition: transition)
      play()
    }
  }

  /// Plays the animation that the display shows, unless it is playing.
  private func play(_ content: DisplayContent, _ playback: AnimationPlayback, _ time: any TimeSource) {
    guard let image = content.image, image.animation != nil, driver?.player == nil,
      let display = display as? any AnimatedDisplay
    else { return }
    let driver = driver ?? makeDriver(display, time)
    self.driver = driver
    var playback = playback
    if display.reducesMotion { playback.playsAutomatically = false }
    driver.play(image, playback)
  }

  private func makeDriver(_ display: any AnimatedDisplay, _ time: any TimeSource) -> AnimationDriver {
    let driver = AnimationDriver(
      clock: (display as? any ClockedDisplay)?.makeFrameClock() ?? TimerFrameClock(time: time))
    driver.isVisible = isVisible
    driver.onFrame = { [weak display] in display?.showFrame($0) }
    driver.onEvent = { [weak self] in self?.onEvent?($0) }
    return driver
  }

  func startIndicator(_ indicator: LoadingIndicator) {
    stopIndicator()
    guard !indicator.isHidden else { return }
    hasIndicator = true
    display?.showIndicator(indicator)
  }

  /// Shows an indicator if there is none, or hides the one that is shown.
  func changeIndicator(_ indicator: LoadingIndicator) {
    if hasIndicator == indicator.isHidden { startIndicator(indicator) }
  }

  func updateIndicator(_ progress: LoadProgress) {
    if hasIndicator { display?.updateIndicator(progress) }
  }

  func stopIndicator() {
    guard hasIndicator else { return }
    hasIndicator = false
    display?.hideIndicator()
  }
}

extension DisplayContent {
  /// Whether this is a loaded image or a preview of one.
  var hasLoadedImage: Bool { !isEmpty && (role == .image || role == .preview) }
}
