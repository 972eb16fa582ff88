/// Loads the images of a set, some at a time.
struct BatchRun: Sendable {
  typealias Ended = (index: Int, result: Result<ImageResponse, ImageError>)

  let requests: [ImageRequest]
  let pipeline: ImagePipeline
  let tally: BatchProgressTracker
  let cancelsOnFailure: Bool

  func outcome(concurrencyLimit: Int) async -> BatchProgressTracker.Outcome {
    await withTaskGroup(of: Ended.self) { group in
      var outcome = BatchProgressTracker.Outcome(
        results: Array(repeating: .failure(.cancelled), count: requests.count), firstError: nil)
      var waiting = requests.indices[...]
      for index in waiting.prefix(concurrencyLimit) { group.addTask { await load(index) } }
      waiting = waiting.dropFirst(concurrencyLimit)
      while let ended = await group.next() {
        outcome.results[ended.index] = ended.result
        if outcome.firstError == nil, case .failure(let error) = ended.result {
          outcome.firstError = error
          if cancelsOnFailure { group.cancelAll() }
        }
        if let index = waiting.popFirst() { group.addTask { await load(index) } }
      }
      return outcome
    }
  }

  private func load(_ index: Int) async -> Ended {
    let result = await result(of: requests[index], index)
    tally.end(index, result)
    return (index, result)
  }

  private func result(of request: ImageRequest, _ index: Int) async -> Result<ImageResponse, ImageError> {
    if Task.isCancelled { return .failure(.cancelled) }
    let subscription = LoadSubscription(priority: pipeline.resolved(request).priority) { event in
      if case .progress(let progress) = event { tally.note(progress, of: index) }
    }
    do throws(ImageError) {
      return .success(try await pipeline.response(for: request, subscription: subscription))
    } catch {
      return .failure(error)
    }
  }
}
