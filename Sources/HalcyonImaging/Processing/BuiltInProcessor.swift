/// A processor of the library, such as `.circle()` or `.blur(radius: 4)`.
///
/// Processing throws ``ImageProcessingError`` for a parameter that is NaN or out of range.
///
/// ```swift
/// request.processors = [.crop(width: 300, height: 300), .circle()]
/// let blurred = try BuiltInProcessor.blur(radius: 4).process(image.bitmap)
/// ```
public struct BuiltInProcessor: ImageProcessor {
  /// The name and all parameters.
  public let identifier: String
  let processor: any ImageProcessor

  package init(_ processor: any ImageProcessor) {
    identifier = processor.identifier
    self.processor = processor
  }

  /// Whether it only crops, turns by multiples of 90 degrees, mirrors or resizes.
  public var keepsDynamicRange: Bool { processor.keepsDynamicRange }

  /// The processed bitmap; of half floats the standard picture, unless ``keepsDynamicRange``.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    try processor.process(keepsDynamicRange ? bitmap : bitmap.inStandardRange())
  }
}

extension BuiltInProcessor: Hashable {
  /// Whether both have the same ``identifier``.
  public static func == (left: BuiltInProcessor, right: BuiltInProcessor) -> Bool {
    left.identifier == right.identifier
  }

  /// Hashes the ``identifier``.
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
