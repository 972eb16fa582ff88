public import HalcyonPipeline
public import Observation

/// An image for a view that is built from values and draws it in its own way: the view observes the ``phase`` of its load.
///
/// ```swift
/// let image = ObservableImage(pipeline: pipeline)
/// image.resize(to: ViewSize(width: 40, height: 40), scale: 2)
/// image.hc.setImage(with: url)
/// ```
///
/// It is visible unless ``isVisible`` says otherwise, knows no screen, so that images are in sRGB where
/// no space is requested, and plays animations also for users who want less motion: ``ImageViewOptions/playback`` changes
/// that. Releasing it cancels its load.
///
/// It is cheap until ``hc`` or ``phase`` is used, so that a view may create one each time it is evaluated, and keep the first.
@MainActor
public final class ObservableImage: Observable {
  /// Loads images into it, and plays their animations.
  public var hc: ImageViewProxy { model.binder.hc }

  /// Whether the view is visible: a hidden one pauses its animation, and loads at the lowest priority. Default: `true`.
  public var isVisible: Bool {
    get { model.binder.isVisible }
    set { model.binder.isVisible = newValue }
  }

  /// The phase of the load. Reading it observes it; of an animation each frame is a change.
  public var phase: ImagePhase { model.phase }

  /// The display of the image, made at its first use.
  package private(set) lazy var model = {
    // Not `self`, which owns the model.
    let makePipeline = makePipeline
    return ImagePhaseModel(pipeline: makePipeline())
  }()
  private let makePipeline: () -> ImagePipeline

  /// Creates an image that loads nothing yet.
  ///
  /// - Parameter pipeline: Loads the images; evaluated at its first use.
  public init(pipeline: @autoclosure @escaping () -> ImagePipeline) { makePipeline = pipeline }

  /// Sets the size at which images are decoded, unless their requests have one. Loads wait for it, and start again when
  /// it grows.
  ///
  /// - Parameters:
  ///   - size: The size in points.
  ///   - scale: Device pixels per point.
  public func resize(to size: ViewSize, scale: Double) { model.resize(to: size, scale: scale) }
}
