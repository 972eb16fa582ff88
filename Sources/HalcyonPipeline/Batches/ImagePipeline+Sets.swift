public import HalcyonImaging

extension ImagePipeline {
  /// Starts loading images that belong together, and returns a handle to follow or cancel all of them.
  ///
  /// Equal requests are loaded once and each get their image.
  ///
  /// - Parameters:
  ///   - concurrencyLimit: Images that are loaded at once, at least 1, the first requests first. Default: 6.
  ///   - cancelsOnFailure: Whether one that fails ends those that have not ended. Default: no.
  public func task(
    for requests: [ImageRequest], concurrencyLimit: Int = 6, cancelsOnFailure: Bool = false
  ) -> ImageBatch {
    ImageBatch(requests, pipeline: self, concurrencyLimit: concurrencyLimit, cancelsOnFailure: cancelsOnFailure)
  }

  /// All the images, in the order of the requests whatever the order of their arrival, or the first error: then the
  /// rest is cancelled.
  ///
  /// Cancelling the calling task cancels them all, with ``ImageError/cancelled``.
  ///
  /// - Parameter concurrencyLimit: Images that are loaded at once, at least 1. Default: 6.
  public func images(
    for requests: [ImageRequest], concurrencyLimit: Int = 6
  ) async throws(ImageError) -> [DecodedImage] {
    let task = task(for: requests, concurrencyLimit: concurrencyLimit, cancelsOnFailure: true)
    await task.end()
    return try await task.images
  }

  /// One outcome for each request, in their order: one that fails leaves the others alone.
  ///
  /// Cancelling the calling task ends those that have not ended with ``ImageError/cancelled``.
  ///
  /// - Parameter concurrencyLimit: Images that are loaded at once, at least 1. Default: 6.
  public func results(
    for requests: [ImageRequest], concurrencyLimit: Int = 6
  ) async -> [Result<ImageResponse, ImageError>] {
    let task = task(for: requests, concurrencyLimit: concurrencyLimit)
    await task.end()
    return await task.results
  }
}

extension ImageBatch {
  /// Waits for the end of all, and brings it about when the caller is cancelled.
  fileprivate func end() async {
    await withTaskCancellationHandler {
      _ = await results
    } onCancel: {
      cancel()
    }
  }
}
