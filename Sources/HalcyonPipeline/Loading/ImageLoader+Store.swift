import HalcyonCache

extension ImageLoader {
  /// Makes the store have a request's bytes, without decoding them: they are only checked to begin like an image.
  ///
  /// - Returns: Whether they had to be fetched: `false` where the store has them, and where they lie on this machine.
  /// - Throws: Also what the store throws, since to be stored is all that the caller wants.
  func storeBody(for request: ImageRequest, interest: LoadSubscription) async throws(ImageError) -> Bool {
    try await reporting(request, to: interest, end: { .finished($0 ? .network : .store, LoadTrace()) }) {
      () async throws(ImageError) in
      try await anyBody(of: request) { [self] request throws(ImageError) in
        try await storeSingleBody(for: request, interest: interest)
      }
    }
  }

  private func storeSingleBody(for request: ImageRequest, interest: LoadSubscription) async throws(ImageError) -> Bool {
    switch try ResolvedSource(request.source) {
    case .file, .inline, .data: return false
    case .web, .unresolved, .provider: break
    }
    let key = RequestKeys(request).fetch
    guard let cache = configuration.httpCache(for: request), request.cachePolicy.writesStore else {
      throw .notStorable(key)
    }
    let body = try await fetcher.body(for: request, key: key, interest: interest)
    if body.origin == .store { return false }
    guard let draft = body.draft else { throw .notStorable(key) }
    // Who has proven the bytes before has stored them too.
    if body.markVerified() { try await store(body, as: draft, in: cache, for: request) }
    return true
  }

  /// Writes to the end, whoever is cancelled: others may count on it.
  private func store(
    _ body: EncodedImage, as draft: StorableResponse, in cache: HTTPCache, for request: ImageRequest
  ) async throws(ImageError) {
    let write = Task { try await cache.store(draft, body: body.data) }
    configuration.originalCache(for: request).writes.track { _ = await write.result }
    if case .failure(let cause) = await write.result {
      throw .failed(cause: cause, url: body.metadata.url ?? .unnamedImage)
    }
    body.markStored()
    monitor?.tell(.stored(.store, byteCount: body.data.count))
  }
}
