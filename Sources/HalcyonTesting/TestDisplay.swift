public import HalcyonImaging
public import HalcyonPipeline
public import HalcyonViews

/// A view that draws nothing and remembers what it shows: for tests of code that sets images on views.
///
/// ```swift
/// let view = TestDisplay(pipeline: pipeline)
/// view.hc.setImage(with: url, placeholder: .icon("wait"))
/// let image = try await view.content(of: .image).image
/// ```
///
/// It has 100 × 100 points at a scale of 1, is visible, and its transitions end at once. Like the view of a toolkit, it owns
/// its binder: releasing it cancels its load.
@MainActor
public final class TestDisplay: AnimatedDisplay {
  private struct Waiter {
    let id: Int
    let role: DisplayContent.Role
    let continuation: CheckedContinuation<Void, any Error>
  }

  /// Loads images into the view.
  public var hc: ImageViewProxy { binder.hc }
  /// The binder of the view, to hide or tap it: `view.binder.isVisible = false`.
  public private(set) lazy var binder = ImageViewBinder(display: self, pipeline: pipeline)

  /// The size in points. Changing it is a layout of the view.
  public var displaySize = ViewSize(width: 100, height: 100) { didSet { binder.displayDidChange() } }
  /// Device pixels per point. Default: 1.
  public var displayScale = 1.0 { didSet { binder.displayDidChange() } }
  /// How an image is scaled. Default: `.fit`.
  public var displayMode = ImageDisplayMode.fit { didSet { binder.displayDidChange() } }
  /// Whether animations wait to be played. Default: `false`.
  public var reducesMotion = false

  /// Everything that was shown, in order. The frames of an animation are in ``frames``.
  public private(set) var contents: [DisplayContent] = []
  /// The transitions of ``contents``.
  public private(set) var transitions: [ImageTransition] = []
  /// The frames of animations that were shown after the first one of each, in order.
  public private(set) var frames: [Bitmap] = []
  /// The indicator over the content; `nil` if there is none.
  public private(set) var indicator: LoadingIndicator?
  /// The progress of the indicator; `nil` before the first bytes.
  public private(set) var progress: LoadProgress?

  private let pipeline: ImagePipeline
  private var waiters: [Waiter] = []
  private var lastID = 0

  /// Creates an empty view.
  public init(pipeline: ImagePipeline) { self.pipeline = pipeline }

  /// What the view shows.
  public var content: DisplayContent { contents.last ?? .nothing }

  /// Waits until the view shows a content of a role, and returns it; at once if it does already.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, so that the time limit of a test ends it.
  public func content(of role: DisplayContent.Role) async throws -> DisplayContent {
    if content.role == role, !contents.isEmpty { return content }
    lastID += 1
    let id = lastID
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiters.append(Waiter(id: id, role: role, continuation: continuation))
        if Task.isCancelled { stopWaiting(id) }
      }
    } onCancel: {
      Task { @MainActor in stopWaiting(id) }
    }
    return contents.last { $0.role == role } ?? content
  }

  private func stopWaiting(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  /// Records the content, for ``ImageDisplay``.
  public func show(_ content: DisplayContent, transition: ImageTransition) {
    contents.append(content)
    transitions.append(transition)
    let ended = waiters.filter { $0.role == content.role }
    waiters.removeAll { $0.role == content.role }
    for waiter in ended { waiter.continuation.resume() }
  }

  /// Records the frame, for ``AnimatedDisplay``.
  public func showFrame(_ frame: Bitmap) { frames.append(frame) }

  /// Records the indicator, for ``ImageDisplay``.
  public func showIndicator(_ indicator: LoadingIndicator) { (self.indicator, progress) = (indicator, nil) }

  /// Records the progress, for ``ImageDisplay``.
  public func updateIndicator(_ progress: LoadProgress) { self.progress = progress }

  /// Removes the indicator, for ``ImageDisplay``.
  public func hideIndicator() { (indicator, progress) = (nil, nil) }
}
