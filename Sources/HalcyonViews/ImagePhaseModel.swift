import HalcyonImaging
package import HalcyonPipeline
package import HalcyonSupport
import Observation

/// The state of a view that a toolkit builds from values, such as one of SwiftUI: it has a binder, and publishes the phase
/// of its load.
@MainActor
@Observable
package final class ImagePhaseModel {
  /// The phase of the load.
  package private(set) var phase = ImagePhase.empty
  /// The placeholder that is due, until there is an image.
  package private(set) var placeholder: ImagePlaceholder?

  /// Runs a change of the phase, with its transition: for the animation of the toolkit. Default: without one.
  @ObservationIgnored package var animate: (@MainActor (ImageTransition, @MainActor () -> Void) -> Void)?

  @ObservationIgnored private let display = PhaseDisplay()
  @ObservationIgnored private let binder: ImageViewBinder
  @ObservationIgnored private var cancelsWhenHidden = false

  /// - Parameters:
  ///   - pipeline: Loads the images unless an update names another one.
  ///   - time: The clock of delays and animations. Default: `nil`, that of the pipeline that loads the image.
  package init(pipeline: @autoclosure @escaping () -> ImagePipeline, time: (any TimeSource)? = nil) {
    binder = ImageViewBinder(display: display, time: time, makePipeline: pipeline)
    binder.isVisible = false
    display.onShow = { [weak self] content, transition in self?.show(content, transition) }
    display.onFrame = { [weak self] image in self?.phase = .success(image) }
  }

  /// What one evaluation of the view asks for.
  package struct Update {
    package var request: ImageRequest?
    package var placeholder: ImagePlaceholder?
    package var options = ImageViewOptions()
    package var pipeline: ImagePipeline?
    package var mode = ImageDisplayMode.fit
    package var cancelsWhenHidden = false
    package var onProgress: (@MainActor (LoadProgress) -> Void)?
    package var completion: ImageViewBinder.Completion?

    package init(request: ImageRequest?) { self.request = request }

    /// Equal for updates of which the second does not start a load.
    package var identity: Identity {
      Identity(
        key: request.map(ImagePipeline.cacheKey), pipeline: pipeline.map { ObjectIdentifier($0) }, mode: mode)
    }
  }

  package struct Identity: Hashable {
    let key: CacheKey?
    let pipeline: ObjectIdentifier?
    let mode: ImageDisplayMode
  }

  /// Loads the image if the request or the pipeline is another one; toolkits update their views at any change of state.
  package func apply(_ update: Update) {
    if display.displayMode != update.mode {
      display.displayMode = update.mode
      binder.displayDidChange()
    }
    if let pipeline = update.pipeline { binder.pipeline = pipeline }
    cancelsWhenHidden = update.cancelsWhenHidden
    guard !binder.isBound(to: update.request, pipeline: update.pipeline) else { return }
    load(update)
  }

  private func load(_ update: Update) {
    let completion: ImageViewBinder.Completion = { [weak self] result in
      self?.finish(result)
      update.completion?(result)
    }
    guard let request = update.request else {
      binder.setImage(with: nil, placeholder: update.placeholder, options: update.options, completion: completion)
      return
    }
    let options = update.options.completed(by: update.pipeline ?? binder.pipeline)
    if !(options.keepsCurrentImage == true && phase.image != nil) { phase = .loading(nil) }
    let load = binder.setImage(
      with: request, placeholder: update.placeholder, options: update.options, completion: completion)
    load?.onProgress { [weak self] progress in
      self?.report(progress)
      update.onProgress?(progress)
    }
  }

  /// Tells the size of the view, after which a load that needs it begins.
  package func resize(to size: ViewSize, scale: Double) {
    guard display.displaySize != size || display.displayScale != scale else { return }
    (display.displaySize, display.displayScale) = (size, scale)
    binder.displayDidChange()
  }

  /// Tells whether the view is visible.
  package var isVisible: Bool {
    get { binder.isVisible }
    set {
      binder.isVisible = newValue
      if !newValue, cancelsWhenHidden, binder.isLoading { binder.cancel() }
    }
  }

  /// Retries a failed load if the options say so; see ``ImageViewOptions/retriesOnTap``.
  package func tap() {
    let failed = phase
    guard case .failure = failed else { return }
    phase = .loading(nil)
    // A retry that begins has set another phase, also if it has ended meanwhile.
    if !binder.didTap(completion: { [weak self] in self?.finish($0) }) { phase = failed }
  }

  private var requestedPlaceholder: ImagePlaceholder? { binder.current?.viewRequest.placeholder }

  private func show(_ content: DisplayContent, _ transition: ImageTransition) {
    let change: @MainActor () -> Void = { [self] in
      switch (content.picture, content.role) {
      case (.image(let image), .image): (phase, placeholder) = (.success(image), nil)
      case (.image(let image), .preview): (phase, placeholder) = (.preview(image, phase.progress), nil)
      case (.none, _): showNothing()
      case (_, .failure): break
      default:
        placeholder = requestedPlaceholder
        if phase.image != nil { showNothing() }
      }
    }
    if let animate { animate(transition, change) } else { change() }
  }

  /// Of a hidden view that has released its image, or one that is set to another image.
  private func showNothing() { phase = binder.isLoading ? .loading(nil) : .empty }

  private func report(_ progress: LoadProgress) {
    if case .preview(let image, _) = phase { phase = .preview(image, progress) } else { phase = .loading(progress) }
  }

  private func finish(_ result: Result<ImageResponse, ImageViewError>) {
    switch result {
    case .success, .failure(.superseded): break
    case .failure(.loading(let error)): phase = .failure(error)
    case .failure(.emptySource):
      (phase, placeholder) = (.empty, requestedPlaceholder)
    case .failure(.cancelled): phase = .empty
    }
  }
}

/// The display of an ``ImagePhaseModel``.
@MainActor
private final class PhaseDisplay: AnimatedDisplay {
  var displaySize = ViewSize.zero
  var displayScale = 1.0
  var displayMode = ImageDisplayMode.fit
  var onShow: (@MainActor (DisplayContent, ImageTransition) -> Void)?
  /// Receives the image with the pixels of another frame.
  var onFrame: (@MainActor (DecodedImage) -> Void)?
  private var image: DecodedImage?

  func show(_ content: DisplayContent, transition: ImageTransition) {
    image = content.role == .image ? content.image : nil
    onShow?(content, transition)
  }

  func showFrame(_ frame: Bitmap) {
    guard let image else { return }
    var shown = DecodedImage(bitmap: frame, info: image.info)
    shown.scale = image.scale
    onFrame?(shown)
  }

  func showIndicator(_ indicator: LoadingIndicator) {}
  func updateIndicator(_ progress: LoadProgress) {}
  func hideIndicator() {}
}
