import HalcyonPipeline

/// What a view tells assistive technologies of its image, in every toolkit.
package struct ViewAccessibility: Equatable {
  /// In place of the image: ``ImageViewOptions/alternativeText``; `nil` for a decorative image, or a text that the program
  /// sets itself.
  package var label: String?
  /// Why the image could not be loaded; `nil` otherwise.
  package var value: String?
  /// Whether a tap retries the image.
  package var isButton = false
  /// Whether the image is being loaded.
  package var isBusy = false

  /// - Parameter canRetry: Whether a tap retries a failed image.
  package init(_ phase: ImagePhase, _ options: ImageViewOptions, canRetry: Bool = false) {
    label = options.alternativeText
    isBusy = phase.isLoading
    guard phase.error != nil else { return }
    (value, isButton) = (options.failureText ?? "The image could not be loaded.", canRetry)
  }
}
