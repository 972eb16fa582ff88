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
    var bitmap = try converted(for: colorSpace)
    for processor in processors {
      do {
        try CancellationFlag.checkCurrent()
        if let processor = processor as? any SourceProcessor {
          bitmap = try processor.process(bitmap, of: info, isComplete: isComplete)
        } else {
          bitmap = try processor.process(bitmap)
        }
      } catch {
        throw ProcessorFailure(identifier: processor.identifier, cause: error)
      }
    }
    return bitmap
  }
}
