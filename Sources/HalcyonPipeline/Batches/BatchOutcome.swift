import HalcyonImaging

/// The outcome of a batch: a result for each request, in the order of the requests.
struct BatchOutcome: Sendable {
  var results: [Result<ImageResponse, ImageError>]
  /// The error of the image that failed first.
  var firstError: ImageError?

  /// All images; throws the error of the image that failed first.
  func images() throws(ImageError) -> [DecodedImage] {
    if let firstError { throw firstError }
    var images: [DecodedImage] = []
    for result in results { images.append(try result.get().image) }
    return images
  }
}
