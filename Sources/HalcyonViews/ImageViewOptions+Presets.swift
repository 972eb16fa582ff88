import HalcyonPipeline

/// Options in a list: `options: [.fade(.seconds(1)), .scaled(by: 1.5)]`.
extension ImageViewOptions: ExpressibleByArrayLiteral {
  /// The options that the elements set; a later element wins over an earlier one.
  @_disfavoredOverload
  public init(arrayLiteral elements: ImageViewOptions...) {
    self = elements.reduce(ImageViewOptions()) { $1.over($0) }
  }

  /// The image fades in.
  ///
  /// - Parameters:
  ///   - duration: The duration of the cross-fade. Default: 0.3 seconds.
  ///   - always: Whether images from the caches fade in as well. Default: as ``transitionOrigins`` says.
  public static func fade(_ duration: Duration = .milliseconds(300), always: Bool = false) -> ImageViewOptions {
    ImageViewOptions(
      transition: .crossFade(duration),
      transitionOrigins: always ? [.memory, .store, .network, .provider, .file, .inline] : nil)
  }

  /// The image is decoded at the size of the view, multiplied by a factor; see ``ViewSizing/view(factor:)``.
  public static func scaled(by factor: Double) -> ImageViewOptions { ImageViewOptions(sizing: .view(factor: factor)) }
}
