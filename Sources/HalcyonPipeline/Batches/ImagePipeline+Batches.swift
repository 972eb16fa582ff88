import HalcyonImaging

extension ImagePipeline {
  /// Starts loading a batch of images, and returns a handle to observe or cancel all of them.
  ///
  /// Equal requests are coalesced, and each has its own result.
  ///
  /// - Parameters:
  ///   - requests: The requests, started in this order.
  ///   - concurrencyLimit: The maximum number of concurrent loads; below 1 counts as 1. Default: 6.
  ///   - cancelsOnFailure: Whether the first failure cancels the remaining requests. Default: no.
  public func batch(
    for requests: [ImageRequest], concurrencyLimit: Int = 6, cancelsOnFailure: Bool = false
  ) -> ImageBatch {
    ImageBatch(requests, pipeline: self, concurrencyLimit: concurrencyLimit, cancelsOnFailure: cancelsOnFailure)
  }
}

extension ImagePipeline {
  /// A result for each request, one by one in the order in which the loads end, with the position of its request.
  ///
  /// For many images: loading begins with the first element, and goes on only as elements are taken; besides the loads in
  /// flight, at most as many results are held as loads may be concurrent. Cancelling the task that iterates, or ending the
  /// loop early, cancels the loads in flight; the sequence then ends. Each iteration loads the images anew. For the results
  /// in the order of the requests, see ``ImageBatch/results``.
  ///
  /// ```swift
  /// for await item in pipeline.results(for: requests) {
  ///   bar.fraction = item.progress.fraction
  ///   if case .success(let response) = item.result { try await response.image.write(to: files[item.index]) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - requests: The requests, started in this order.
  ///   - concurrencyLimit: The maximum number of concurrent loads, and of results that have not been taken; below 1
  ///     counts as 1. Default: 6.
  public func results(for requests: [ImageRequest], concurrencyLimit: Int = 6) -> BatchResults {
    BatchResults(requests: requests, pipeline: self, concurrencyLimit: max(1, concurrencyLimit))
  }
}
