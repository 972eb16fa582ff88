#if canImport(SwiftUI)
public import Foundation
public import Halcyon
import HalcyonSupport
public import HalcyonViews
public import SwiftUI

/// A view that loads an image and fills the size it is proposed; a width or a height that is not proposed, such as the height
/// in a vertical scroll view, is the image's.
///
/// ```swift
/// HalcyonImage(url: url, placeholder: .icon("photo"))
///   .fade(.milliseconds(200))
///   .frame(width: 120, height: 80)
/// ```
///
/// A closure builds other content from the phase of the load:
///
/// ```swift
/// HalcyonImage(url: url) { phase in
///   if let image = phase.swiftUIImage {
///     image.resizable()
///   } else if let progress = phase.progress {
///     ProgressView(value: progress.fraction)
///   } else {
///     Color.clear
///   }
/// }
/// ```
///
/// The image is decoded at the size that is proposed; for a closure, whose content may be scaled in any way, at the smallest
/// size that covers it. An animated image plays while the view is visible. It is downloaded again only when the image, its
/// cache policy or the pipeline is another one; other modifiers, and the priority, may change at any time.
public struct HalcyonImage<Content: View>: View {
  private var update: ImagePhaseModel.Update
  private let content: (ImagePhaseModel, ImagePhaseModel.Update) -> Content
  /// Evaluating a view creates this again, but SwiftUI keeps the first one, so only one model is made.
  @State private var image = ObservableImage(pipeline: .shared)
  @Environment(\.displayScale) private var displayScale
  @Environment(\.imagePipeline) private var environmentPipeline
  @Environment(\.accessibilityReduceMotion) private var reducesMotion
  @Environment(\.accessibilityPlayAnimatedImages) private var playsAnimatedImages
  @Environment(\.imageColorSpace) private var imageColorSpace
  private var model: ImagePhaseModel { image.model }

  /// - Parameter content: Builds the content from what the view shows.
  init(update: ImagePhaseModel.Update, content: @escaping (ImagePhaseModel, ImagePhaseModel.Update) -> Content) {
    self.update = update
    self.content = content
  }

  /// Creates a view of the image at a URL, whose content is built from the phase of its load.
  ///
  /// - Parameters:
  ///   - url: The URL of the image; with `nil` the phase is ``ImagePhase/empty``.
  ///   - content: Builds the content, which may be empty. The image is decoded at the size that is proposed to it.
  public init(url: URL?, @ViewBuilder content: @escaping (ImagePhase) -> Content) {
    self.init(request: url.map { ImageRequest(url: $0) }, content: content)
  }

  /// Creates a view of the image of a request, whose content is built from the phase of its load.
  ///
  /// See ``init(url:content:)`` for the other parameters.
  public init(request: ImageRequest?, @ViewBuilder content: @escaping (ImagePhase) -> Content) {
    var update = ImagePhaseModel.Update(request: request)
    update.mode = .stretch
    self.init(update: update) { model, _ in content(model.phase) }
  }

  /// The content of the current phase.
  public var body: some View {
    let update = completedUpdate
    let identity = update.identity
    let _ = model.adopt(update, identity)
    // The content may be empty, and then has no appearance and no size.
    ProposedSpace {
      Color.clear.frame(idealWidth: 0, idealHeight: 0)
        .onGeometryChange(for: CGSize.self, of: { $0.size }) { size in
          model.resize(to: ViewSize(size), scale: Double(displayScale), isLaidOut: true)
        }
        .onAppear { appear(update) }
        .onDisappear { model.isVisible = false }
        .onChange(of: identity, initial: false) { model.apply(update) }
        .onChange(of: update.loadingContent, initial: false) { model.showAdopted() }
        .onChange(of: update.isPlaying, initial: false) { model.applyPlayback() }
      ObservedContent(content: { content(model, update) })
    }
    // Not always attached: a gesture would take the taps of a button around the view.
    .gesture(TapGesture().onEnded { model.tap() }, including: model.retriesOnTap ? .all : .subviews)
  }

  /// The update, with the pipeline of the environment.
  private var completedUpdate: ImagePhaseModel.Update {
    var update = update
    update.pipeline = update.pipeline ?? environmentPipeline
    return update
  }

  private func appear(_ update: ImagePhaseModel.Update) {
    #if canImport(ObjectiveC) && !os(watchOS)
    (update.pipeline ?? .shared).cache.followAppLifeCycle()
    #endif
    model.animate = { transition, change, onEnd in
      guard case .crossFade(let duration) = transition else {
        change()
        return onEnd()
      }
      withAnimation(.linear(duration: duration / .seconds(1)), change) { MainActor.assumeIsolated { onEnd() } }
    }
    model.reducesMotion = reducesMotion || !playsAnimatedImages
    model.displayColorSpace = imageColorSpace ?? .screen
    model.isVisible = true
    model.apply(update)
  }

  private func with(_ change: (inout ImagePhaseModel.Update) -> Void) -> Self {
    var copy = self
    change(&copy.update)
    return copy
  }
}

/// A view of its own, so that the frames of an animation do not evaluate the view around it.
private struct ObservedContent<Content: View>: View {
  let content: () -> Content
  var body: some View { content() }
}

extension HalcyonImage where Content == HalcyonImageContent {
  /// Creates a view of the image at a URL.
  ///
  /// - Parameters:
  ///   - url: The URL of the image; `nil` shows the placeholder.
  ///   - placeholder: Shown until the image is loaded. Default: `nil`, ``ImageViewOptions/placeholder``. An
  ///     ``ImagePlaceholder/view(_:)`` makes a view of SwiftUI.
  ///   - mode: How the image is scaled into the view. Default: `.fit`.
  ///   - options: How the image is loaded and shown.
  ///   - pipeline: The pipeline that loads it. Default: `nil`, the environment's `imagePipeline`, or without one
  ///     ``ImagePipeline/shared``.
  public init(
    url: URL?, placeholder: ImagePlaceholder? = nil, mode: ImageDisplayMode = .fit,
    options: ImageViewOptions = ImageViewOptions(), pipeline: ImagePipeline? = nil
  ) {
    self.init(
      request: url.map { ImageRequest(url: $0) }, placeholder: placeholder, mode: mode, options: options,
      pipeline: pipeline)
  }

  /// Creates a view of the image of a request; `nil` shows the placeholder.
  ///
  /// See ``init(url:placeholder:mode:options:pipeline:)`` for the other parameters.
  public init(
    request: ImageRequest?, placeholder: ImagePlaceholder? = nil, mode: ImageDisplayMode = .fit,
    options: ImageViewOptions = ImageViewOptions(), pipeline: ImagePipeline? = nil
  ) {
    var update = ImagePhaseModel.Update(request: request)
    (update.placeholder, update.mode, update.options, update.pipeline) = (placeholder, mode, options, pipeline)
    self.init(update: update) { HalcyonImageContent(model: $0, update: $1) }
  }

  /// Shows a view until the image is loaded, after ``ImageViewOptions/placeholderDelay``.
  public func placeholder(@ViewBuilder _ content: @escaping @MainActor () -> some View) -> Self {
    with { $0.placeholder = .view { content() } }
  }
}

/// Modifiers. Each returns a view that differs in one property.
extension HalcyonImage {
  /// How the image is scaled into the view, and for which size it is decoded. Default: `.fit`.
  public func contentMode(_ mode: ImageDisplayMode) -> Self { with { $0.mode = mode } }

  /// The image fills the view, whatever its own aspect ratio: as ``contentMode(_:)`` with `.stretch`, so that
  /// `scaledToFit()` and `aspectRatio(_:contentMode:)` decide how it is scaled, as for an `Image`.
  public func resizable() -> Self { contentMode(.stretch) }

  /// Draws the image in its own colours, the default, or as an icon in the foreground colour.
  public func renderingMode(_ mode: ImageRenderingMode) -> Self { options { $0.renderingMode = mode } }

  /// Plays an animation while a binding is `true`, and sets it to `false` when the animation has finished.
  ///
  /// Setting it to `true` again plays on, or from the first frame after the end. Where the user wants less motion, an
  /// animation plays only after the binding has been set while its image is shown.
  public func playsAnimation(_ isPlaying: Binding<Bool>) -> Self {
    with {
      $0.isPlaying = isPlaying.wrappedValue
      $0.onPlaybackEnd = { isPlaying.wrappedValue = false }
    }
  }

  /// Loads the image through a pipeline of its own.
  public func pipeline(_ pipeline: ImagePipeline) -> Self { with { $0.pipeline = pipeline } }

  /// Changes the request, for example its ``RequestOptions/priority`` or its processors; without one it does nothing.
  public func request(_ change: (inout ImageRequest) -> Void) -> Self {
    with { if var request = $0.request { change(&request); $0.request = request } }
  }

  /// The priority of the load.
  public func priority(_ priority: ImagePriority) -> Self { request { $0.priority = priority } }

  /// The processors that are applied to the image, in order.
  public func processors(_ processors: [any ImageProcessor]) -> Self { request { $0.processors = processors } }

  /// Changes the options of the view.
  public func options(_ change: (inout ImageViewOptions) -> Void) -> Self { with { change(&$0.options) } }

  /// The image fades in when it does not come from a cache. Default: 0.3 seconds.
  public func fade(_ duration: Duration = .milliseconds(300)) -> Self {
    options { $0.transition = .crossFade(duration) }
  }

  /// A tap on the view retries a failed load.
  public func retriesOnTap(_ retries: Bool = true) -> Self { options { $0.retriesOnTap = retries } }

  /// What a screen reader says of the image. Default: nothing, the image is decorative.
  public func alternativeText(_ text: String?) -> Self { options { $0.alternativeText = text } }

  /// Cancels the load when the view disappears; it starts again when the view appears. Default: it goes on, at the lowest
  /// priority.
  public func cancelsOnDisappear(_ cancels: Bool = true) -> Self { with { $0.cancelsWhenHidden = cancels } }

  /// Calls a closure with the progress of the load.
  public func onProgress(_ action: @escaping @MainActor (LoadProgress) -> Void) -> Self {
    with { update in
      let earlier = update.onProgress
      update.onProgress = {
        earlier?($0); action($0)
      }
    }
  }

  /// Calls a closure once for each load that the view starts, with its result.
  public func onCompletion(_ action: @escaping ImageViewProxy.Completion) -> Self {
    with { update in
      let earlier = update.completion
      update.completion = {
        earlier?($0); action($0)
      }
    }
  }

  /// Calls a closure when the image is shown.
  public func onSuccess(_ action: @escaping @MainActor (ImageResponse) -> Void) -> Self {
    onCompletion { if case .success(let response) = $0 { action(response) } }
  }

  /// Calls a closure when the load has failed.
  public func onFailure(_ action: @escaping @MainActor (ImageError) -> Void) -> Self {
    onCompletion { if case .failure(.loading(let error)) = $0 { action(error) } }
  }
}

extension ImagePhase {
  /// The image or the preview as a decorative image of SwiftUI; `nil` in other phases.
  @MainActor public var swiftUIImage: Image? { image.flatMap { Image($0) } }
}
#endif
