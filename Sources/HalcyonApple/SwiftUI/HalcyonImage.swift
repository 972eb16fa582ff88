#if canImport(SwiftUI) && !os(watchOS)
public import Foundation
public import Halcyon
public import HalcyonViews

/// An image from an address, as large as the room that it is offered.
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

  /// Shows the image at an address; `nil` shows the placeholder.
  public init(
    url: URL?, placeholder: ImagePlaceholder? = nil, mode: ImageDisplayMode = .fit,
    options: ImageViewOptions = ImageViewOptions(), pipeline: ImagePipeline = .shared,
    completion: ImageViewBinder.Completion? = nil
  ) {
    self.init(
      request: url.map { ImageRequest(url: $0) }, placeholder: placeholder, mode: mode, options: options,
      pipeline: pipeline, completion: completion)
  }

  /// Shows the image that a request describes; `nil` shows the placeholder.
  public init(
    request: ImageRequest?, placeholder: ImagePlaceholder? = nil, mode: ImageDisplayMode = .fit,
    options: ImageViewOptions = ImageViewOptions(), pipeline: ImagePipeline = .shared,
    completion: ImageViewBinder.Completion? = nil
  ) {
    self.request = request
    self.placeholder = placeholder
    self.mode = mode
    self.options = options
    self.pipeline = pipeline
    self.completion = completion
  }

  /// Updates come often and for any reason; only another image is loaded.
  @MainActor func update(_ binder: ImageViewBinder) {
    binder.pipeline = pipeline
    guard !binder.isBound(to: request) else { return }
    if let request {
      binder.setImage(with: request, placeholder: placeholder, options: options, completion: completion)
    } else {
      binder.setImage(with: nil, placeholder: placeholder, options: options, completion: completion)
    }
  }
}
#endif
