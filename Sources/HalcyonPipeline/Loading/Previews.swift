import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Previews in memory, under keys of their own (``PreviewPolicy/keepsLast``).
extension ImageLoader {
  /// The last preview of an earlier load.
  ///
  /// - Parameter keys: Evaluated only if the request keeps previews.
  func keptPreview(_ request: ImageRequest, keys: @autoclosure () -> RequestKeys) -> DecodedImage? {
    request.keepsPreviews ? imageInMemory(request, keys().preview) : nil
  }

  /// Removes the preview of an image that has been loaded.
  func removePreview(_ load: Load) {
    if load.request.keepsPreviews { load.cache.memory.removeImage(for: load.keys.preview) }
  }
}

extension ImageRequest {
  fileprivate var keepsPreviews: Bool {
    optionsBox?.options.previews.map { $0.isEnabled && $0.keepsLast } ?? false
  }
}

/// Decodes previews of a progressive image for one task, one at a time, always from the newest bytes.
final class PreviewMaker: Sendable {
  private struct State {
    var isBusy = false
    var newest: ReceivedBytes?
    var stage = 0
    var earliest = Duration.zero
  }

  private let request: ImageRequest
  private let policy: PreviewPolicy
  private let loader: ImageLoader
  private let keys: RequestKeys
  private let watch: RemovalWatch
  private let state = Lock(State())

  /// `nil` if the request has no previews.
  init?(_ request: ImageRequest, by loader: ImageLoader) {
    guard let policy = request.previews, policy.isEnabled else { return nil }
    self.request = request
    self.policy = policy
    self.loader = loader
    keys = RequestKeys(request)
    watch = RemovalWatch(keys.image, in: loader.configuration.cache(for: request))
  }

  /// Receives the bytes so far. They are dropped if the last preview is too recent.
  func receive(_ received: ReceivedBytes, show: @escaping @Sendable (DecodedImage) -> Void) {
    let decoders = loader.configuration.decoders(for: request)
    guard let decoder = try? decoders.decoder(for: received.info.format) as? any ProgressiveImageDecoder else {
      return
    }
    let isFirst = state.withLock { state in
      state.newest = received
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFirst else { return }
    Task {
      while let (received, stage) = next() { await makePreview(of: received, after: stage, decoder, show) }
    }
  }

  /// The bytes to decode next; `nil`, which ends the work, if there are none or it is too early.
  private func next() -> (ReceivedBytes, stage: Int)? {
    let now = loader.configuration.time.uptime()
    return state.withLock { state in
      guard now >= state.earliest, let newest = state.newest else {
        state.isBusy = false
        return nil
      }
      state.newest = nil
      return (newest, state.stage)
    }
  }

  /// A preview that fails is skipped: the load reports why the image cannot be decoded.
  private func makePreview(
    of received: ReceivedBytes, after stage: Int, _ decoder: any ProgressiveImageDecoder,
    _ show: @Sendable (DecodedImage) -> Void
  ) async {
    let made = try? await loader.workers.run(priority: .low) { [self] flag in
      try preview(of: received, after: stage, decoder, flag)
    }
    guard let preview = made else { return }
    keep(preview.image, received.head)
    show(preview.image)
    let earliest = loader.configuration.time.uptime() + policy.minimumInterval
    state.withLock { ($0.stage, $0.earliest) = (preview.stage, earliest) }
  }

  /// Puts a preview into memory, unless the request or the response forbids it.
  private func keep(_ preview: DecodedImage, _ head: ResponseHead) {
    guard request.keepsPreviews, request.resolved.memoryAccess.writes, !CacheControl(head.headers).forbidsStorage,
      !watch.isRemovedFromMemory, !watch.isRemovedOrReplaced
    else { return }
    let memory = loader.configuration.cache(for: request).memory
    guard !memory.contains(keys.image) else { return }
    memory.store(preview, for: keys.preview, expiration: request.optionsBox?.options.memoryExpiration)
  }

  private func preview(
    of received: ReceivedBytes, after stage: Int, _ decoder: any ProgressiveImageDecoder, _ flag: CancellationFlag
  ) throws -> ImagePreview? {
    let rendition = request.completed(
      Rendition(
        size: request.resolved.size(of: received.info, within: loader.configuration.limits),
        region: request.region, processors: request.processors), of: received.head)
    return try loader.renderer.preview(of: received.data, after: stage, by: decoder, as: rendition) { flag.isCancelled }
  }
}
