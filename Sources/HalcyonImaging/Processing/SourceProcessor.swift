import HalcyonSupport

/// A processor that also sees the properties of the file.
package protocol SourceProcessor: ImageProcessor {
  /// The processed bitmap of a file.
  ///
  /// - Parameter isComplete: `false` for previews and for a file that ends too early.
  func process(_ bitmap: Bitmap, of info: ImageInfo, isComplete: Bool) throws -> Bitmap
}

/// The error of a processor, with its name.
package struct ProcessorFailure: Error {
  package let identifier: String
  package let cause: any Error
}

extension Bitmap {
  /// All steps between decoding and encoding: the bitmap in a colour space, then processors in order.
  ///
  /// - Parameters:
  ///   - info: The properties of the file.
  ///   - isComplete: `false` for previews and for a file that ends too early.
  /// - Throws: ``ProcessorFailure``; ``ImageDecodingError/outOfMemory(_:)`` before the processors.
  package func finished(
    in colorSpace: TargetColorSpace, by processors: [any ImageProcessor] = [], of info: ImageInfo,
    isComplete: Bool = true
  ) throws -> Bitmap {
    try converted(for: colorSpace).processed(with: nil, by: processors, of: info, isComplete: isComplete).bitmap
  }

  /// The bitmap and its gain map with processors applied in order.
  ///
  /// - Throws: ``ProcessorFailure``.
  func processed(
    with gainMap: GainMap?, by processors: [any ImageProcessor], of info: ImageInfo, isComplete: Bool
  ) throws -> (bitmap: Bitmap, gainMap: GainMap?) {
    var (bitmap, gainMap) = (self, gainMap)
    for processor in processors {
      do {
        try CancellationFlag.checkCurrent()
        if !processor.keepsDynamicRange { bitmap = try bitmap.inStandardRange() }
        (bitmap, gainMap) = try processor.process(bitmap, gainMap) { bitmap in
          try (processor as? any SourceProcessor)?.process(bitmap, of: info, isComplete: isComplete)
            ?? processor.process(bitmap)
        }
      } catch {
        throw ProcessorFailure(identifier: processor.identifier, cause: error)
      }
    }
    return (bitmap, gainMap)
  }
}
