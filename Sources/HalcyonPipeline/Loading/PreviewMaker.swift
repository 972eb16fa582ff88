import HalcyonSupport
import HalcyonImaging
import Foundation

/// Makes previews for one task of what has arrived of its image.
///
/// One is made at a time. What arrives meanwhile waits, and only the newest of it.
final class PreviewMaker: Sendable {
  private struct State {
    var isBusy = false
    var waiting: Data?
    var stage = 0
    var earliest = Duration.zero
  }

  private let request: ImageRequest
  private let policy: PreviewPolicy
  private let configuration: PipelineConfiguration
  private let workers: WorkerPool
  private let state = Lock(State())

  /// `nil` for a request that wants none.
  init?(_ request: ImageRequest, configuration: PipelineConfiguration, workers: WorkerPool) {
    guard let policy = request.previews, policy.isEnabled else { return nil }
    self.request = request
    self.policy = policy
    self.configuration = configuration
    self.workers = workers
  }

  /// Takes what has arrived. It is let go when the last preview is too young.
  func receive(_ data: Data, _ info: ImageInfo, show: @escaping @Sendable (DecodedImage) -> Void) {
    guard let decoder = configuration.decoders.first(where: { $0.formats.contains(info.format) }),
      let decoder = decoder as? any ProgressiveImageDecoder
    else { return }
    let isFirst = state.withLock { state in
      state.waiting = data
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFirst else { return }
    Task {
      while let (data, stage) = next() { await make(of: data, after: stage, decoder, show) }
    }
  }

  /// What to make a preview of; `nil`, and an end of the work, when there is nothing new or it is too soon.
  private func next() -> (Data, stage: Int)? {
    let now = configuration.time.uptime()
    return state.withLock { state in
      guard now >= state.earliest, let data = state.waiting else {
        state.isBusy = false
        return nil
      }
      state.waiting = nil
      return (data, state.stage)
    }
  }

  /// A preview that fails is none: the image itself will tell why.
  private func make(
    of data: Data, after stage: Int, _ decoder: any ProgressiveImageDecoder, _ show: @Sendable (DecodedImage) -> Void
  ) async {
    let made: ImagePreview??
    do {
      made = try await workers.run(priority: .low) { [self] flag in
        try preview(of: data, after: stage, decoder, flag)
      }
    } catch {
      made = nil
    }
    guard let preview = made ?? nil else { return }
    show(preview.image)
    let earliest = configuration.time.uptime() + policy.minimumInterval
    state.withLock { ($0.stage, $0.earliest) = (preview.stage, earliest) }
  }

  private func preview(
    of data: Data, after stage: Int, _ decoder: any ProgressiveImageDecoder, _ flag: CancellationFlag
  ) throws -> ImagePreview? {
    let options = DecodingOptions(size: request.size, limits: configuration.limits) { flag.isCancelled }
    guard var preview = try decoder.preview(data, after: stage, options: options) else { return nil }
    for processor in request.processors {
      preview.image.bitmap = try processor.process(preview.image.bitmap)
    }
    return preview
  }
}
