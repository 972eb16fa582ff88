import HalcyonCache
import HalcyonHTTP
import HalcyonImaging

/// Previews in memory, under keys of their own (``PreviewPolicy/keepsLast``).
extension ImageLoader {
  /// The last preview of an earlier load.
  func keptPreview(_ request: ImageRequest, keys: RequestKeys) -> DecodedImage? {
    guard request.keepsPreviews, request.readsMemory else { return nil }
    let memory = configuration.cache(for: request).memory
    return memory.contains(keys.preview) ? memory.image(for: keys.preview) : nil
  }

  /// Removes the preview of an image that has been loaded.
  func removePreview(_ request: ImageRequest, keys: RequestKeys) {
    guard request.keepsPreviews else { return }
    configuration.cache(for: request).memory.removeImage(for: keys.preview)
  }
}

extension PipelineConfiguration {
  /// Puts a preview into memory, unless the request or the response forbids it.
  func keepPreview(_ preview: DecodedImage, of request: ImageRequest, _ head: ResponseHead, _ watch: RemovalWatch) {
    guard request.keepsPreviews, request.writesMemory, !CacheControl(head.headers).forbidsStorage,
      !watch.isRemovedFromMemory, !watch.isRemovedFromStore
    else { return }
    let keys = RequestKeys(request)
    let memory = cache(for: request).memory
    guard !memory.contains(keys.image) else { return }
    memory.store(preview, for: keys.preview, expiration: request.optionsBox?.options.memoryExpiration)
  }
}

extension ImageRequest {
  fileprivate var keepsPreviews: Bool {
    optionsBox?.options.previews.map { $0.isEnabled && $0.keepsLast } ?? false
  }
}
