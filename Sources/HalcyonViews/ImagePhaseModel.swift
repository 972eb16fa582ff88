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
    guard phase.error != nil, options.alternativeText != nil || options.failureText != nil else { return nil }
    return options.failureText ?? "The image could not be loaded."
  }
  /// Counts contents. All frames of an animation are one content.
  package private(set) var contentNumber = 0

  /// Runs a change with its transition: for the animation of the toolkit. Default: without one.
  @ObservationIgnored package var animate: (@MainActor (ImageTransition, @MainActor () -> Void) -> Void)?

  @ObservationIgnored package private(set) var displaySize = ViewSize.zero
  @ObservationIgnored package private(set) var displayScale = 1.0
  @ObservationIgnored package private(set) var displayMode = ImageDisplayMode.fit
  @ObservationIgnored package var displayColorSpace = TargetColorSpace.sRGB
  @ObservationIgnored private let time: (any TimeSource)?
  @ObservationIgnored private let makePipeline: () -> ImagePipeline
  /// Loads the images.
  @ObservationIgnored package private(set) lazy var binder = ImageViewBinder(
    display: self, time: time, makePipeline: makePipeline)
  @ObservationIgnored private var update: Update?
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
    package var onProgress: (@MainActor (LoadProgress) -> Void)?
    package var completion: ImageViewProxy.Completion?

    package init(request: ImageRequest?) { self.request = request }

    /// Equal for two updates if the second changes nothing.
    package var identity: Identity {
      Identity(
        key: request.map(ImagePipeline.cacheKey), pipeline: pipeline.map { ObjectIdentifier($0) }, mode: mode,
        group: options.transitionGroup)
    }
  }

  package struct Identity: Equatable {
    let key: CacheKey?
    let pipeline: ObjectIdentifier?
    let mode: ImageDisplayMode
    /// Retained, so that no later group has its address.
    let group: TransitionGroup?

    package static func == (a: Identity, b: Identity) -> Bool {
      a.key == b.key && a.pipeline == b.pipeline && a.mode == b.mode && a.group === b.group
    }
  }

  /// Loads the image if the request or the pipeline is another one; toolkits update their views at any change of state.
  package func apply(_ update: Update) {
    let group = self.update?.options.transitionGroup
    self.update = update
    if displayMode != update.mode {
      displayMode = update.mode
      binder.displayDidChange()
    }
    if let pipeline = update.pipeline { binder.pipeline = pipeline }
    guard binder.isBound(to: update.request, pipeline: update.pipeline) else { return load(update) }
    // The view keeps its image, or its load; others of the group do not wait for it.
    if update.options.transitionGroup !== group { update.options.transitionGroup?.skip() }
  }

  private func load(_ update: Update) {
    guard let request = update.request else {
      binder.hc.setImage(
        with: nil, placeholder: update.placeholder, options: update.options, completion: update.completion)
      return
    }
    let load = binder.hc.setImage(
      with: request, placeholder: update.placeholder, options: update.options, completion: update.completion)
    follow(load)
  }

  private func follow(_ load: ImageViewLoad?) {
    if let action = update?.onProgress { load?.onProgress(action) }
  }

  /// Sets the size of the view, after which a load that needs it begins.
  package func resize(to size: ViewSize, scale: Double) {
    guard displaySize != size || displayScale != scale else { return }
    (displaySize, displayScale) = (size, scale)
    binder.displayDidChange()
  }

  /// Whether the view is visible.
  package var isVisible: Bool {
    get { binder.isVisible }
    set {
      binder.isVisible = newValue
      if !newValue, update?.cancelsWhenHidden == true, binder.isLoading { binder.cancel() }
    }
  }

  /// Whether a tap on the view would retry a failed load; see ``ImageViewOptions/retriesOnTap``.
  package var retriesOnTap: Bool { phase.error != nil && binder.retriesOnTap }

  /// Retries a failed load if the options say so. The closures of the view receive its progress and its result.
  package func tap() {
    guard retriesOnTap else { return }
    follow(binder.retry(completion: update?.completion))
  }

}

extension ImagePhaseModel: AnimatedDisplay {
  package func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) { self.options = options }

  package func show(_ content: DisplayContent, transition: ImageTransition) {
    let change: @MainActor () -> Void = { [self] in
      self.content = content
      contentNumber += 1
      phaseDidChange(binder.phaseShowing(content))
    }
    if let animate { animate(transition, change) } else { change() }
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
  }

  package func showIndicator(_ indicator: LoadingIndicator) { (self.indicator, progress) = (indicator, nil) }
  package func updateIndicator(_ progress: LoadProgress) { self.progress = progress }
  package func hideIndicator() { indicator = nil }
}
