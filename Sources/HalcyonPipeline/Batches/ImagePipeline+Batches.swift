public import HalcyonImaging

extension ImagePipeline {
  /// Starts loading a batch of images, and returns a handle to observe or cancel all of them.
  ///
  /// Equal requests are coalesced, and each has its own result.
  ///
  /// - Parameters:
  ///   - requests: The requests, started in this order.
  ///   - concurrencyLimit: The maximum number of concurrent loads, at least 1. Default: 6.
  ///   - cancelsOnFailure: Whether the first failure cancels the remaining requests. Default: no.
  public func task(
    for requests: [ImageRequest], concurrencyLimit: Int = 6, cancelsOnFailure: Bool = false
  ) -> ImageBatch {
    ImageBatch(requests, pipeline: self, concurrencyLimit: concurrencyLimit, cancelsOnFailure: cancelsOnFailure)
  }

  /// The images of all requests, in the order of the requests; the first failure cancels the remaining requests.
  ///
  /// Cancelling the calling task cancels all of them.
  ///
  /// - Parameters:
  ///   - requests: The requests, started in this order.
  ///   - concurrencyLimit: The maximum number of concurrent loads, at least 1. Default: 6.
  /// - Throws: The first error, ``ImageError/cancelled`` if the calling task was cancelled.
  public func images(
    for requests: [ImageRequest], concurrencyLimit: Int = 6
  ) async throws(ImageError) -> [DecodedImage] {
    let task = task(for: requests, concurrencyLimit: concurrencyLimit, cancelsOnFailure: true)
    await task.end()
    return try await task.images
  }

  /// A result for each request, in the order of the requests; a failure does not affect the others.
  ///
  /// Cancelling the calling task ends the remaining requests with ``ImageError/cancelled``.
  ///
  /// - Parameters:
  ///   - requests: The requests, started in this order.
  ///   - concurrencyLimit: The maximum number of concurrent loads, at least 1. Default: 6.
  public func results(
    for requests: [ImageRequest], concurrencyLimit: Int = 6
  ) async -> [Result<ImageResponse, ImageError>] {
    let task = task(for: requests, concurrencyLimit: concurrencyLimit)
    await task.end()
    return await task.results
  }
}

extension ImagePipeline {
  /// A result for each request, one by one in the order in which the loads end, with the position of its request.
  ///
  /// For many images: no image is held once the caller has released it.
  ///
  /// ```swift
  /// for await item in pipeline.streamedResults(for: requests) {
  ///   bar.fraction = item.progress.fraction
  ///   if case .success(let response) = item.result { try await response.image.write(to: files[item.index]) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - requests: The requests, started in this order.
  ///   - concurrencyLimit: The maximum number of concurrent loads, and of results that have not been taken, at least 1.
  ///     Default: 6.
  public func streamedResults(for requests: [ImageRequest], concurrencyLimit: Int = 6) -> StreamedResults {
    precondition(concurrencyLimit > 0, "concurrencyLimit must be at least 1, got \(concurrencyLimit)")
    return StreamedResults(requests: requests, pipeline: self, concurrencyLimit: concurrencyLimit)
  }
}

extension ImageBatch {
  /// Waits until all requests have ended; cancels them if the calling task is cancelled.
  fileprivate func end() async {
    await withTaskCancellationHandler {
      _ = await results
    } onCancel: {
      cancel()
    }
  }
}
