import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonCache
import Foundation

/// Images kept in the store as they are shown, by the ``StoragePolicy`` of their requests.
extension ImageLoader {
  /// The image as the store has it; `nil` where it has none that may be shown as it is.
  func storedVariant(
    _ request: ImageRequest, keys: RequestKeys, interest: LoadSubscription
  ) async throws(ImageError) -> Loaded? {
    guard request.cachePolicy.readsStore, !request.freshness.contactsServerFirst,
      let place = variantPlace(request, keys)
    else {
      return nil
    }
    var trace = LoadTrace()
    let start = ContinuousClock.now
    let lookup = await place.cache.lookUp(
      place.key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
      at: configuration.time.now())
    trace.add(.storeRead, since: start)
    guard let entry = lookup.stored, lookup.action == .serve || !place.isFromWeb,
      let body = fetcher.storedBody(entry, isFromWeb: place.isFromWeb, trace: trace)
    else { return nil }
    // It has its size already.
    var whole = request
    whole.size = .original
    do throws(ImageError) {
      var loaded = try await decode(body, request: whole, key: keys.fetch, interest: interest)
      loaded.isStoredVariant = true
      return loaded
    } catch {
      // What no longer is an image is made anew.
      if case .cancelled = error { throw error }
      return nil
    }
  }

  /// Starts keeping an image, once it is there: nobody waits for that, and a failure fails no load.
  func storeVariant(of loaded: Loaded, _ request: ImageRequest, keys: RequestKeys) async -> Task<Void, Never>? {
    guard request.cachePolicy.writesStore, let place = variantPlace(request, keys),
      let draft = loaded.body.draft(ofVariant: place.key, for: request, configuration)
    else { return nil }
    // An animation would lose its pictures.
    let isUnchanged = request.processors.isEmpty && loaded.image.size == loaded.image.info.pixelSize
    if loaded.image.animation != nil || isUnchanged && request.storage.format == .automatic {
      let placeholder = configuration.originalCache(for: request).placeholders[keys.fetch]
      await keepOriginal(loaded.body, of: request, placeholder)
      return nil
    }
    let (image, profile) = (loaded.image, request.storage)
    let (workers, encoders) = (workers, configuration.encoders)
    return await configuration.targetCache(for: request).writes.start(byteCount: image.bitmap.byteCount) { [monitor] in
      let data: Data?
      do {
        data = try await workers.run(priority: .low) { _ in try profile.encoded(image, by: encoders) }
      } catch {
        monitor?.tell(.storeFailed(error))
        return
      }
      guard let data, (try? await place.cache.store(draft, body: data)) != nil else { return }
      monitor?.tell(.stored(.store, byteCount: data.count))
    }
  }

  private typealias VariantPlace = (key: CacheKey, cache: HTTPCache, isFromWeb: Bool)

  /// Where a request's image is kept; `nil` where the profile, the source or the lack of a store says that it is not.
  private func variantPlace(_ request: ImageRequest, _ keys: RequestKeys) -> VariantPlace? {
    guard request.storage.keyText != nil, let key = keys.variant(request.storage),
      let cache = configuration.httpCache(in: configuration.targetCache(for: request), for: request)
    else { return nil }
    switch try? ResolvedSource(request.source) {
    case .web, .unresolved: return (key, cache, true)
    case .provider: return (key, cache, false)
    case .file, .inline, .data, nil: return nil
    }
  }
}

extension ImageLoader.Loaded {
  /// Waits until all of the image that is being stored is there, or has failed.
  mutating func waitForWriting() async {
    let start = ContinuousClock.now
    await body.waitForWriting()
    await variantWrite?.value
    trace.add(.storeWrite, since: start)
  }
}

extension EncodedImage {
  /// How an image made of these bytes is stored; `nil` where the bytes may not be, or came from the image's own entry.
  fileprivate func draft(
    ofVariant key: CacheKey, for request: ImageRequest, _ configuration: PipelineConfiguration
  ) -> StorableResponse? {
    guard draft != nil || origin == .store else { return nil }
    var metadata = draft?.metadata ?? metadata
    metadata.variants = []
    return StorableResponse(
      metadata: metadata, key: key, requestHeaders: request.headers.adding(configuration.headers), knownVariants: [])
  }
}
