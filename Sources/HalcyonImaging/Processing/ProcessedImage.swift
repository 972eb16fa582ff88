import HalcyonSupport

/// An image between decoding and encoding: its pixels, and what belongs to them.
package struct ProcessedImage: Sendable {
  package var bitmap: Bitmap
  /// The gain map of the bitmap; `nil` if it is not kept.
  package var gainMap: GainMap?
  /// The properties of the file.
  package let info: ImageInfo
  /// `false` for previews and for a file that ends too early.
  package let isComplete: Bool

  package init(_ bitmap: Bitmap, of info: ImageInfo, gainMap: GainMap? = nil, isComplete: Bool = true) {
    (self.bitmap, self.gainMap, self.info, self.isComplete) = (bitmap, gainMap, info, isComplete)
  }

  /// Applies a processor.
  package mutating func apply(_ processor: any ImageProcessor) throws {
    try CancellationFlag.checkCurrent()
    if !processor.keepsDynamicRange { bitmap = try bitmap.inStandardRange() }
    let processor = (processor as? BuiltInProcessor)?.processor ?? processor
    if let processor = processor as? any WholeImageProcessor { return try processor.process(&self) }
    replace(with: try processor.process(bitmap), by: processor)
  }

  /// Replaces the pixels, and drops the gain map unless the processor keeps it or has left them as they were.
  package mutating func replace(with result: Bitmap, by processor: any ImageProcessor) {
    if !processor.keepsDynamicRange, !result.sharesPixels(with: bitmap) { gainMap = nil }
    bitmap = result
  }

  /// Applies processors in order.
  package mutating func apply(_ processors: [any ImageProcessor]) throws(ProcessorFailure) {
    for processor in processors {
      do {
        try apply(processor)
      } catch {
        throw ProcessorFailure(identifier: processor.identifier, cause: error)
      }
    }
  }
}

/// A processor that also sees, or changes, what belongs to the pixels.
package protocol WholeImageProcessor: ImageProcessor {
  func process(_ image: inout ProcessedImage) throws
}

/// The error of a processor, with its name.
package struct ProcessorFailure: Error {
  package let identifier: String
  package let cause: any Error
}

extension [any ImageProcessor] {
  /// Whether images of high dynamic range stay so.
  package var keepDynamicRange: Bool { allSatisfy(\.keepsDynamicRange) }
}
