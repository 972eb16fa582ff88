public import HalcyonImaging

/// The replacement of a view's content by an image, for ``ImageTransition/custom(_:)``.
///
/// ```swift
/// let late = ImageTransition.custom { transition in
///   Task {
///     try await Task.sleep(for: .milliseconds(200))
///     transition.end()
///   }
/// }
/// ```
///
/// The view keeps its old content until ``showImage()`` or ``end()``. Other content of the view, its release, and the
/// release of this value end the transition, so that a completion is not lost when the closure forgets to.
@MainActor
public final class CustomTransition {
  /// The view of the toolkit, such as a `UIImageView` or a pointer to a `GtkWidget`.
  public let view: Any
  /// The image that the view shows before; `nil` if that is empty, an icon or a view.
  public let oldImage: DecodedImage?
  /// The loaded image; `nil` for failure content that is not an image.
  public let newImage: DecodedImage?

  private let steps: TransitionSteps

  init(_ view: Any, from oldImage: DecodedImage?, to newImage: DecodedImage?, _ steps: TransitionSteps) {
    (self.view, self.oldImage, self.newImage, self.steps) = (view, oldImage, newImage, steps)
  }

  deinit {
    Task { @MainActor [steps] in steps.end() }
  }

  /// Shows the new image in place of the old content, in this frame. Idempotent.
  public func showImage() { steps.showImage() }

  /// Ends the transition, after which the completion of the load is called; shows the new image if that has not happened.
  /// Idempotent.
  public func end() { steps.end() }
}

/// The steps of a transition that are still to come. Holds no view, which may own it.
@MainActor
final class TransitionSteps {
  private var show: (@MainActor () -> Void)?
  private var onEnd: (@MainActor () -> Void)?

  init(show: @escaping @MainActor () -> Void, onEnd: (@MainActor () -> Void)?) {
    (self.show, self.onEnd) = (show, onEnd)
  }

  func showImage() {
    let show = show
    self.show = nil
    show?()
  }

  func end() {
    showImage()
    let onEnd = onEnd
    self.onEnd = nil
    onEnd?()
  }
}
