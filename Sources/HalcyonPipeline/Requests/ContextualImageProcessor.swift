public import HalcyonImaging

/// A processor that also sees the request, the response and the properties of the file.
///
/// A pipeline calls ``process(_:in:)``; ``ImageProcessor/process(_:)`` is called only outside of pipelines.
///
/// As for every processor, the result is cached under the source, headers, identity and size of the request and the
/// ``ImageProcessor/identifier``. Two laws follow, which replace the laws of ``ImageProcessor`` on what it reads:
/// - A value that is not part of that key, for example one of ``RequestOptions/userInfo``, changes the result only if it
///   is part of the identifier. Equal requests share one result, made for one of them.
/// - The response may change the result without being part of the identifier: a response with other bytes is processed
///   again, one that confirms the bytes (status 304) is not.
public protocol ContextualImageProcessor: ImageProcessor {
  /// The processed bitmap. Errors reach the caller as ``ImageError/processingFailed(identifier:cause:url:)``.
  func process(_ bitmap: Bitmap, in context: ImageProcessingContext) throws -> Bitmap
}

/// The origin of an image that is processed.
public struct ImageProcessingContext: Sendable {
  /// The request, with the default options of the pipeline filled in; later processors may be missing.
  public var request: ImageRequest
  /// The status and headers of the response, as they are stored, and its URL after redirects. `nil` for sources other
  /// than HTTP, and for images that the program itself has put into memory.
  public var response: ResponseHead?
  /// The properties of the file.
  public var info: ImageInfo
  /// Whether this is the final image: `false` for previews and for a file that ends too early.
  public var isComplete: Bool

  /// Creates a context, for tests of a processor.
  public init(request: ImageRequest, response: ResponseHead? = nil, info: ImageInfo, isComplete: Bool = true) {
    self.request = request
    self.response = response
    self.info = info
    self.isComplete = isComplete
  }
}
