import HalcyonImaging

/// How a request becomes a rendition.
extension ImageRequest {
  /// A rendition of a file, for which the request decides on colours, and on what is made of damage and animations.
  ///
  /// - Parameter response: The response that the file came in; processors that see the request and the response get both.
  func completed(_ rendition: Rendition, of response: ResponseHead? = nil) -> Rendition {
    var rendition = rendition
    rendition.processors = bound(rendition.processors, to: response)
    (rendition.colorSpace, rendition.dynamicRange) = (resolved.colorSpace, resolved.dynamicRange)
    rendition.allowsPartialImage = resolved.allowsPartialImage
    rendition.keepsAnimation = resolved.animation != .firstFrame
    return rendition
  }

  /// Processors in which those that see the request and the response get them.
  func bound(_ processors: [any ImageProcessor], to response: ResponseHead?) -> [any ImageProcessor] {
    processors.map { processor in
      guard let processor = processor as? any ContextualImageProcessor else { return processor }
      return BoundProcessor(processor: processor, request: self, response: response)
    }
  }
}

private struct BoundProcessor: WholeImageProcessor {
  let processor: any ContextualImageProcessor
  let request: ImageRequest
  let response: ResponseHead?

  var identifier: String { processor.identifier }
  var keepsDynamicRange: Bool { processor.keepsDynamicRange }

  func process(_ bitmap: Bitmap) throws -> Bitmap { try processor.process(bitmap) }

  func process(_ image: inout ProcessedImage) throws {
    let context = ImageProcessingContext(
      request: request, response: response, info: image.info, isComplete: image.isComplete)
    let result = try processor.process(image.bitmap, in: context)
    image.replace(with: result, by: self)
  }
}
