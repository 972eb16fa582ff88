package import HalcyonImaging
package import HalcyonPipeline

/// A display that holds one image and shows nothing else, such as the image of a button in one of its states.
///
/// There are no indicators, no transitions but custom ones, and of an animation the first frame is shown.
@MainActor
package final class SlotDisplay: ImageDisplay {
  /// The place of the image; its closures hold the view weakly.
  package struct Slot {
    package var size: @MainActor () -> ViewSize
    /// The size of the window, once the view has been laid out.
    package var screen: @MainActor () -> ViewSize = { .zero }
    package var scale: @MainActor () -> Double
    package var mode: @MainActor () -> ImageDisplayMode
    /// `nil` for sRGB.
    package var colorSpace: (@MainActor () -> TargetColorSpace)?
    /// Shows a content. The number is the pixels per point of an image.
    package var show: @MainActor (DisplayContent, Double) -> Void
    /// The view that a custom transition receives; `nil` if it is gone.
    package var view: @MainActor () -> Any?

    package init(
      size: @escaping @MainActor () -> ViewSize, scale: @escaping @MainActor () -> Double,
      mode: @escaping @MainActor () -> ImageDisplayMode = { .fit },
      show: @escaping @MainActor (DisplayContent, Double) -> Void, view: @escaping @MainActor () -> Any?
    ) {
      (self.size, self.scale, self.mode, self.show, self.view) = (size, scale, mode, show, view)
    }
  }

  /// The binder of the slot.
  package private(set) lazy var binder = ImageViewBinder(display: self, makePipeline: makePipeline)

  /// Whether sides that the slot does not have are determined by the image. Default: `true`, if ``Slot/screen`` has a size.
  package var isLaidOut = true

  private let slot: Slot
  private let makePipeline: () -> ImagePipeline
  private let onPrepare: @MainActor (ImagePipeline) -> Void

  /// - Parameters:
  ///   - slot: The place of the image.
  ///   - pipeline: The slot's own pipeline, evaluated at its first use.
  ///   - onPrepare: Called before an image is set, with the pipeline that loads it.
  package init(
    _ slot: Slot, pipeline: @autoclosure @escaping () -> ImagePipeline,
    onPrepare: @escaping @MainActor (ImagePipeline) -> Void = { _ in }
  ) {
    self.slot = slot
    makePipeline = pipeline
    self.onPrepare = onPrepare
  }

  package func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) { onPrepare(pipeline) }

  package var displaySize: ViewSize { slot.size() }
  package var screenSize: ViewSize { isLaidOut ? slot.screen() : .zero }
  package var displayScale: Double { slot.scale() }
  package var transitionView: Any? { slot.view() }
  package var displayMode: ImageDisplayMode { slot.mode() }
  package var displayColorSpace: TargetColorSpace { slot.colorSpace?() ?? .sRGB }

  package func show(_ content: DisplayContent, transition: ImageTransition) {
    slot.show(content, content.image.map(pixelsPerPoint) ?? 1)
  }

  package func showIndicator(_ indicator: LoadingIndicator) {}
  package func updateIndicator(_ progress: LoadProgress) {}
  package func hideIndicator() {}
}
