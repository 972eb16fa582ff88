import HalcyonHTTP
package import HalcyonImaging
package import HalcyonPipeline
package import HalcyonSupport
import Observation

/// The display of a view that a toolkit builds from values, such as one of SwiftUI: it publishes what its binder shows.
@MainActor
@Observable
package final class ImagePhaseModel {
  /// The phase of the load.
  package private(set) var phase = ImagePhase.empty
  /// Whether the load has failed; unlike the phase, it does not change with each frame of an animation.
  private var hasFailed = false
  /// What is shown; of an animation, its current frame.
  package private(set) var content = DisplayContent.nothing
  /// The indicator over the content.
  package private(set) var indicator: LoadingIndicator?
  /// The progress that the indicator shows.
  package private(set) var progress: LoadProgress?
  /// What a screen reader says of the image; `nil` for nothing.
  package var alternativeText: String? { phase.error == nil ? options.alternativeText : nil }
  /// What a screen reader says of an image that could not be loaded, unless images are decorative; `nil` for nothing.
  package var failureText: String? {
    guard options.alternativeText != nil || options.failureText != nil else { return nil }
    return ViewAccessibility(phase, options).value
  }
  /// The size in points of a view that gets it from its image, of which the sides that the view has are not exceeded; `nil`
  /// without an image.
  package var idealSize: ViewSize? {
    guard let image = content.image else { return nil }
    let (pixels, scale) = (content.naturalSize ?? image.size, pixelsPerPoint(of: image))
    let natural = ViewSize(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
    var factor = 1.0
    if displaySize.width > 0 { factor = min(factor, displaySize.width / natural.width) }
    if displaySize.height > 0 { factor = min(factor, displaySize.height / natural.height) }
    return ViewSize(width: natural.width * factor, height: natural.height * factor)
  }
  /// Counts contents. All frames of an animation are one content.
  package private(set) var contentNumber = 0

  /// Runs a change with its transition, for the animation of the toolkit, and calls the last closure at its end. Default:
  /// without one.
  @ObservationIgnored package var animate:
    (@MainActor (ImageTransition, @MainActor () -> Void, @escaping @MainActor () -> Void) -> Void)?
  /// Notifies of the end of the transition of the content.
  @ObservationIgnored private var onTransitionEnd: (@MainActor () -> Void)?

  /// The largest size that is decoded for a view without a width and a height, since the size of the screen is not
  /// known here.
  private static let largeScreen = ViewSize(width: 1024, height: 1024)

  @ObservationIgnored package private(set) var displaySize = ViewSize.zero
  @ObservationIgnored package private(set) var screenSize = ViewSize.zero
  @ObservationIgnored package private(set) var displayScale = 1.0
  @ObservationIgnored package private(set) var displayMode = ImageDisplayMode.fit
  @ObservationIgnored package var displayColorSpace = TargetColorSpace.sRGB
  @ObservationIgnored private let time: (any TimeSource)?
  @ObservationIgnored private let makePipeline: () -> ImagePipeline
  /// Loads the images.
  @ObservationIgnored package private(set) lazy var binder = ImageViewBinder(
    display: self, time: time, makePipeline: makePipeline)
  @ObservationIgnored private var update: Update?
  @ObservationIgnored private var identity: Identity?
  /// The closures for the current load, those of the last update that has its image.
  @ObservationIgnored private var closures = Closures()
  @ObservationIgnored private var options = ImageViewOptions()
  /// Whether animations wait to be played.
  @ObservationIgnored package var reducesMotion = false

  /// - Parameters:
  ///   - pipeline: Loads the images unless an update names another one.
  ///   - time: The clock of delays and animations. Default: `nil`, the clock of the pipeline that loads the image.
  package init(pipeline: @autoclosure @escaping () -> ImagePipeline, time: (any TimeSource)? = nil) {
    (makePipeline, self.time) = (pipeline, time)
  }

  /// The parameters of one evaluation of the view.
  package struct Update {
    package var request: ImageRequest?
    package var placeholder: ImagePlaceholder?
    package var options = ImageViewOptions()
    package var pipeline: ImagePipeline?
    package var mode = ImageDisplayMode.fit
    package var cancelsWhenHidden = false
    /// Whether an animation plays; `nil` as the options say.
    package var isPlaying: Bool?
    /// Called when an animation that plays has finished.
    package var onPlaybackEnd: (@MainActor () -> Void)?
    package var onProgress: (@MainActor (LoadProgress) -> Void)?
    package var completion: ImageViewProxy.Completion?

    package init(request: ImageRequest?) { self.request = request }

    /// Equal for two updates if the second changes nothing.
    package var identity: Identity {
      Identity(
        key: request.map(ImagePipeline.cacheKey), policy: request?.cachePolicy,
        pipeline: pipeline.map { ObjectIdentifier($0) }, mode: mode,
        group: options.transitionGroup)
    }

    /// Equal for two updates if the second adds no placeholder and no indicator.
    package var loadingContent: LoadingContent {
      LoadingContent(
        hasPlaceholder: (placeholder ?? options.placeholder) != nil, hasIndicator: options.indicator?.isHidden == false)
    }
  }

  /// What a view shows while its image is loading.
  package struct LoadingContent: Equatable {
    let hasPlaceholder: Bool
    let hasIndicator: Bool
  }

  package struct Identity: Equatable {
    let key: CacheKey?
    let policy: CachePolicy?
    let pipeline: ObjectIdentifier?
    let mode: ImageDisplayMode
    /// Retained, so that no later group gets its address.
    let group: TransitionGroup?

    package static func == (a: Identity, b: Identity) -> Bool {
      a.key == b.key && a.policy == b.policy && a.pipeline == b.pipeline && a.mode == b.mode && a.group === b.group
    }
  }

  /// The closures that one load calls.
  @MainActor
  private final class Closures {
    var onProgress: (@MainActor (LoadProgress) -> Void)?
    var completion: ImageViewProxy.Completion?
  }

  /// Applies what does not load the image again, such as texts and closures. Changes no observed property, since the
  /// view is being evaluated. An update with another image is left to ``apply(_:)``.
  package func adopt(_ update: Update, _ identity: Identity) {
    guard self.update != nil, identity == self.identity else { return }
    adopt(update)
  }

  private func adopt(_ update: Update) {
    self.update = update
    (closures.onProgress, closures.completion) = (update.onProgress, update.completion)
    observePlayback()
    binder.adopt(options(of: update), update.placeholder, priority: update.request?.priority)
  }

  /// The options of an update, without automatic playback if the animation must not play yet.
  private func options(of update: Update) -> ImageViewOptions {
    guard let isPlaying = update.isPlaying else { return update.options }
    var options = update.options
    var playback = options.completed(by: update.pipeline ?? binder.pipeline).playback ?? AnimationPlayback()
    playback.playsAutomatically = isPlaying
    options.playback = playback
    return options
  }

  private func observePlayback() {
    guard update?.isPlaying != nil, binder.animation.onEvent == nil else { return }
    binder.animation.onEvent = { [weak self] in if $0 == .finished { self?.update?.onPlaybackEnd?() } }
  }

  /// Shows a placeholder or an indicator that an update has added while the image is loading.
  package func showAdopted() { binder.showAdopted() }

  /// Plays or pauses the animation as the last update says.
  package func applyPlayback() {
    switch update?.isPlaying {
    case true?: binder.animation.play()
    case false?: binder.animation.pause()
    case nil: break
    }
  }

  /// Loads the image if the request or the pipeline is another one; toolkits update their views at any change of state.
  package func apply(_ update: Update) {
    let group = self.update?.options.transitionGroup
    if displayMode != update.mode {
      displayMode = update.mode
      binder.displayDidChange()
    }
    if let pipeline = update.pipeline { binder.pipeline = pipeline }
    identity = update.identity
    guard binder.isBound(to: update.request, pipeline: update.pipeline) else { return load(update) }
    adopt(update)
    // The view keeps its image or its load, so others of the group do not wait for it.
    if update.options.transitionGroup !== group { update.options.transitionGroup?.skip() }
  }

  private func load(_ update: Update) {
    self.update = update
    observePlayback()
    closures = Closures()
    (closures.onProgress, closures.completion) = (update.onProgress, update.completion)
    let completion = completion
    guard let request = update.request else {
      binder.hc.setImage(
        with: nil, placeholder: update.placeholder, options: options(of: update), completion: completion)
      return
    }
    let load = binder.hc.setImage(
      with: request, placeholder: update.placeholder, options: options(of: update), completion: completion)
    follow(load)
  }

  /// Calls the closure that the view has when the load ends.
  private var completion: ImageViewProxy.Completion { { [closures] in closures.completion?($0) } }

  private func follow(_ load: ImageViewLoad?) { load?.onProgress { [closures] in closures.onProgress?($0) } }

  /// Sets the size of the view, after which a load that needs it begins.
  ///
  /// - Parameter isLaidOut: Whether the image determines both sides if the view has none. Default: `false`, the load waits.
  package func resize(to size: ViewSize, scale: Double, isLaidOut: Bool = false) {
    let hasSide = size.width > 0 || size.height > 0
    let screenSize = isLaidOut || hasSide ? Self.largeScreen : .zero
    guard displaySize != size || displayScale != scale || self.screenSize != screenSize else { return }
    (displaySize, displayScale, self.screenSize) = (size, scale, screenSize)
    binder.displayDidChange()
  }

  /// Whether the view is visible.
  package var isVisible: Bool {
    get { binder.isVisible }
    set {
      binder.isVisible = newValue
      // The toolkit may have removed the view during its transition.
      if !newValue { endTransition(contentNumber) }
      if !newValue, update?.cancelsWhenHidden == true, binder.isLoading { binder.cancel() }
    }
  }

  /// Whether a tap on the view would retry a failed load; see ``ImageViewOptions/retriesOnTap``.
  package var retriesOnTap: Bool { hasFailed && binder.retriesOnTap }

  /// Retries a failed load if the options say so. The closures of the view receive its progress and its result.
  package func tap() {
    guard retriesOnTap else { return }
    follow(binder.retry(completion: completion))
  }

}

extension ImagePhaseModel: AnimatedDisplay {
  /// A transition is one of the toolkit.
  package var transitionView: Any? { nil }

  package func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) { self.options = options }

  package func show(_ content: DisplayContent, transition: ImageTransition) { show(content, transition: transition) {} }

  package func show(_ content: DisplayContent, transition: ImageTransition, onEnd: @escaping @MainActor () -> Void) {
    let previous = onTransitionEnd
    onTransitionEnd = onEnd
    // Last, since a completion may set another image.
    defer { previous?() }
    let number = contentNumber + 1
    let change: @MainActor () -> Void = { [self] in
      self.content = content
      contentNumber = number
      phaseDidChange(binder.phaseShowing(content))
    }
    guard let animate else {
      change()
      return endTransition(number)
    }
    animate(transition, change) { [weak self] in self?.endTransition(number) }
  }

  /// The transition of a content has ended, unless other content has replaced it.
  private func endTransition(_ number: Int) {
    guard number == contentNumber, let onEnd = onTransitionEnd else { return }
    onTransitionEnd = nil
    onEnd()
  }

  package func showFrame(_ frame: Bitmap) {
    guard let image = content.image else { return }
    var shown = DecodedImage(bitmap: frame, info: image.info)
    shown.scale = image.scale
    content.picture = .image(shown)
    if case .success = phase { phase = .success(shown) }
  }

  package func phaseDidChange(_ new: ImagePhase) {
    if !new.isSame(as: phase) || new.error != nil { phase = new }
    if hasFailed != (new.error != nil) { hasFailed.toggle() }
  }

  package func showIndicator(_ indicator: LoadingIndicator) { (self.indicator, progress) = (indicator, nil) }
  package func updateIndicator(_ progress: LoadProgress) { self.progress = progress }
  package func hideIndicator() { indicator = nil }
}
