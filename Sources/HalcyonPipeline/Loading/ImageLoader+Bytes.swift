import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// Loads of encoded bytes for callers, from the first source that succeeds. Only the header is read before they are
/// stored.
extension ImageLoader {
  func encodedImage(
    for request: ImageRequest, onProgress: (@Sendable (LoadProgress) -> Void)? = nil
  ) async throws(ImageError) -> EncodedImage {
    let subscription = LoadSubscription(priority: request.resolved.priority) { event in
      if case .progress(let progress) = event { onProgress?(progress) }
    }
    return try await around(newLoad(request, for: subscription)) { [self] load throws(ImageError) in
      let encoded = try await bytes.encodedImage(for: load)
      try await storeFetched(encoded, load)
      return encoded
    }
  }

  /// Starts storing the bytes and, if the request waits for it, waits until they are stored.
  func storeFetched(_ encoded: EncodedImage, _ load: Load) async throws(ImageError) {
    replaceEarlier(by: encoded, load)
    await storeOriginalIfWanted(encoded, load, nil)
    if load.resolved.waitsForStore { try await encoded.waitForWriting() }
    if load.request.optionsBox != nil { try await applyStoreOptions(load, after: encoded) }
  }

  /// The metadata of a request's image, read from its encoded bytes on a worker thread.
  func metadata(for request: ImageRequest) async throws(ImageError) -> ImageMetadata {
    let encoded = try await encodedImage(for: request)
    do {
      let decoder = try configuration.decoders(for: request).decoder(for: encoded.info.format)
      return try await workers.run(priority: request.resolved.priority) { _ in try decoder.metadata(of: encoded.data) }
    } catch {
      throw ImageError(decoding: error, url: encoded.sourceURL)
    }
  }
}

extension EncodedImage: LoadResult {
  var lastEvent: PipelineEvent.Kind { .finished(origin, trace) }
}
