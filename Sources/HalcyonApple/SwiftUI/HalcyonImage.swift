#if canImport(SwiftUI) && !os(watchOS)
public import Foundation
public import Halcyon
public import HalcyonViews

/// A view that loads an image and fills the size it is proposed.
///
/// ```swift
/// HalcyonImage(url: url, placeholder: .icon("photo"))
///   .frame(width: 120, height: 80)
/// ```
public struct HalcyonImage {
  let request: ImageRequest?
  let placeholder: ImagePlaceholder?
  let options: ImageViewOptions
  let pipeline: ImagePipeline
  let mode: ImageDisplayMode
  let completion: ImageViewBinder.Completion?

  /// Creates a view of the image at a URL.
  ///
  /// - Parameters:
  ///   - url: The URL of the image; `nil` shows the placeholder.
  ///   - placeholder: Shown until the image is loaded. Default: `nil`, nothing.
  ///   - mode: How the image is scaled into the view. Default: `.fit`.
  ///   - options: How the image is loaded and shown.
  ///   - pipeline: The pipeline that loads it. Default: ``ImagePipeline/shared``.
  ///   - completion: Called once for each load that the view starts, with its result.
  public init(
    url: URL?, placeholder: ImagePlaceholder? = nil, mode: ImageDisplayMode = .fit,
    options: ImageViewOptions = .default, pipeline: ImagePipeline = .shared,
    completion: ImageViewBinder.Completion? = nil
  ) {
    self.init(
      request: url.map { ImageRequest(url: $0) }, placeholder: placeholder, mode: mode, options: options,
      pipeline: pipeline, completion: completion)
  }

  /// Creates a view of the image of a request; `nil` shows the placeholder.
  ///
  /// The other parameters are those of ``init(url:placeholder:mode:options:pipeline:completion:)``.
  public init(
    request: ImageRequest?, placeholder: ImagePlaceholder? = nil, mode: ImageDisplayMode = .fit,
    options: ImageViewOptions = .default, pipeline: ImagePipeline = .shared,
    completion: ImageViewBinder.Completion? = nil
  ) {
    self.request = request
    self.placeholder = placeholder
    self.mode = mode
    self.options = options
    self.pipeline = pipeline
    self.completion = completion
  }

  /// SwiftUI updates the view on any change of state: only another request or pipeline starts a load.
  @MainActor func update(_ binder: ImageViewBinder) {
    binder.pipeline = pipeline
    guard !binder.isBound(to: request, pipeline: pipeline) else { return }
    if let request {
      binder.setImage(with: request, placeholder: placeholder, options: options, completion: completion)
    } else {
      binder.setImage(with: nil, placeholder: placeholder, options: options, completion: completion)
    }
  }
}
#endif
