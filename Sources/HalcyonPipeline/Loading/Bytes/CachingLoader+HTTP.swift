import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Web URLs: the store by HTTP's rules, then the server.
extension CachingLoader {
  /// The next step of a load of a URL.
  private enum Step {
    case serve(EncodedImage)
    /// After a look-up in the store; `nil` if there was none.
    case fetch(CacheLookup?)
  }

  func httpImage(_ load: Load, at location: ResolvedSource.Location) async throws(ImageError) -> EncodedImage {
    switch try await step(load, at: location) {
    case .serve(let image): return image
    case .fetch(let lookup): return try await fetch(try httpRequest(load, at: location, after: lookup))
    }
  }

  /// Looks for a response in flight, and then in the store.
  private func step(_ load: Load, at location: ResolvedSource.Location) async throws(ImageError) -> Step {
    if let image = inFlightImage(load) {
      if image.isServed(by: load.resolved.cachePolicy, at: configuration.time.uptime()) {
        load.report(.joined(.bytes))
        return .serve(image)
      }
      try await image.waitForWriting()
    }
    if load.resolved.storeAccess.reads || load.resolved.storeAccess.writes,
      let cache = configuration.httpCache(for: load.request)
    {
      return try await lookUp(load, in: cache, at: location)
    }
    load.report(.storeMiss(.notRead))
    return .fetch(nil)
  }

  private func inFlightImage(_ load: Load) -> EncodedImage? {
    guard load.resolved.storeAccess.reads, !load.resolved.cachePolicy.contactsServerFirst else { return nil }
    return inFlight[load.inFlightKey] ?? revalidatedImage(load)
  }

  /// The stored image that another load revalidates, if this one may use it at any age.
  func revalidatedImage(_ load: Load) -> EncodedImage? {
    load.resolved.cachePolicy.followsHTTP ? nil : revalidated[load.inFlightKey]
  }

  private func lookUp(
    _ load: Load, in cache: HTTPCache, at location: ResolvedSource.Location
  ) async throws(ImageError) -> Step {
    let request = load.request
    let start = ContinuousClock.now
    let (found, tier) = await TierTrace.recording {
      await cache.lookUp(
        load.key, requestHeaders: request.headers.adding(configuration.headers), policy: request.resolved.cachePolicy,
        usesETags: request.resolved.usesETags, at: configuration.time.now())
    }
    let end = ContinuousClock.now
    let (entry, reason) = request.resolved.storeAccess.reads ? (found.stored, found.miss) : (nil, .notRead)
    load.record { $0.add(.storeRead, since: start, until: end, miss: reason, tier: tier) }
    let image = entry.flatMap { storedImage($0, of: load) }
    load.reportLookUp(miss: reason ?? (image == nil ? .damaged : nil), image)
    switch (found.action, image) {
    case (.unavailable, _): throw .notCached(key: found.key.sourceText)
    // No entry to revalidate: the store has none, it is not an image, or the request does not read the store.
    case (_, nil): return .fetch(found.unconditional)
    case (.serve, let image?): return .serve(image)
    // Only a GET can be revalidated.
    case _ where request.optionsBox?.content != nil: return .fetch(found.unconditional)
    case (.serveStaleWhileRevalidating, let image?):
      revalidate(found, load, at: location)
      return .serve(image)
    case (.fetch, let image?):
      if request.resolved.cachePolicy != .reload { reportStored(image, for: load.inFlightKey, load) }
      return .fetch(found)
    }
  }

  func httpRequest(
    _ load: Load, at location: ResolvedSource.Location, after lookup: CacheLookup?
  ) throws(ImageError) -> HTTPRequest {
    guard load.resolved.cachePolicy.usesNetwork else { throw .notCached(key: load.key.sourceText) }
    return HTTPRequest(load, at: location, by: link(load.key), after: lookup, defaults: configuration.headers)
  }

  private func fetch(_ request: HTTPRequest) async throws(ImageError) -> EncodedImage {
    let response: HTTPResponse
    do throws(ImageError) {
      response = try await transferred(request)
    } catch {
      if let stale = await staleImage(insteadOf: error, request) { return stale }
      throw error
    }
    return try await receive(response, of: request)
  }

  private func receive(_ response: HTTPResponse, of request: HTTPRequest) async throws(ImageError) -> EncodedImage {
    let (load, head) = (request.load, response.metadata)
    if let image = response.image {
      if head.status >= 300,
        let stale = await staleImage(insteadOf: .httpStatus(head.status, url: head.url ?? request.url), request)
      {
        return stale
      }
      return fetchedImage(image, response, request, await storable(response, request))
    }
    guard let lookup = request.lookup else { throw .httpStatus(304, url: request.url) }
    let cache = configuration.httpCache(for: load.request)
    if let entry = await cache?.renewed(
      lookup, by: head, isStored: response.isStorable && !load.watch.isRemovedOrReplaced),
      let image = storedImage(entry, of: load)
    {
      return image
    }
    return try await fetch(try httpRequest(load, at: request.location, after: lookup.unconditional))
  }

  /// How a response is stored; `nil` if storing it is not allowed.
  func storable(_ response: HTTPResponse, _ request: HTTPRequest) async -> StorableResponse? {
    guard let lookup = request.lookup, let cache = responseCache(request.load),
      case .deliver(let storable) = await cache.outcome(of: response.metadata, to: lookup)
    else { return nil }
    return response.isStorable && request.load.resolved.storeAccess.writes ? storable : nil
  }

  /// The store for a response, which removes nothing that a program has stored meanwhile.
  private func responseCache(_ load: Load) -> HTTPCache? {
    configuration.httpCache(for: load.request, isReadOnly: load.watch.isRemovedFromStore)
  }

  private func fetchedImage(
    _ received: (data: Data, info: ImageInfo), _ response: HTTPResponse, _ request: HTTPRequest,
    _ storable: StorableResponse?
  ) -> EncodedImage {
    let load = request.load
    let forbidsStorage = CacheControl(response.metadata.headers).forbidsStorage
    var (metadata, storable) = (response.metadata, storable)
    var earlier = load.resolved.cachePolicy.contactsServerFirst ? EncodedImage.EarlierBytes.unknown : .same
    if let stored = request.lookup?.stored {
      earlier = stored.body == received.data ? .same : .other
      // The bytes have not changed: what was made of the stored ones stays valid.
      if earlier == .same { metadata.original = stored.metadata.original }
      storable?.metadata.original = metadata.original
    }
    let other = request.answered.flatMap { $0.data == received.data ? $0 : nil }
    // The load that sent the request stores the response.
    if let other, storable != nil, inFlight[load.inFlightKey] === other { return other }
    let image = EncodedImage(
      data: received.data, metadata: metadata, info: received.info, origin: .network, storable: storable,
      freshEnd: freshEnd(response.metadata),
      allowsMemory: response.metadata.expiration != .expired
        && (!forbidsStorage || load.resolved.cachePolicy == .cacheFirst),
      trace: load.trace, watch: load.watch, earlier: metadata.status < 300 ? earlier : nil, like: other)
    if storable != nil { inFlight.insert(image, for: load.inFlightKey) }
    return image
  }

  /// The stored image, if it may be served although the server cannot be reached or answered with an error.
  private func staleImage(insteadOf error: ImageError, _ request: HTTPRequest) async -> EncodedImage? {
    let load = request.load
    guard let lookup = request.lookup, load.resolved.cachePolicy != .reload,
      let entry = await staleEntry(insteadOf: error, load, lookup)
    else { return nil }
    return storedImage(entry, of: load)
  }

  private func staleEntry(insteadOf error: ImageError, _ load: Load, _ lookup: CacheLookup) async -> StoredEntry? {
    let now = configuration.time.now()
    let cache = responseCache(load)
    switch error {
    case .httpStatus(let status, let url), .retryLater(_, let status, let url):
      let head = EntryMetadata(url: url, status: status, requestDate: now, responseDate: now)
      guard case .serve(let entry)? = await cache?.outcome(of: head, to: lookup) else {
        if status == 404 || status == 410, lookup.stored != nil, !load.resolved.allowsErrorImage {
          await load.removeMade(from: configuration.store(for: load.request))
        }
        return nil
      }
      return entry
    case .transport(let reason, _) where reason != .cancelled:
      let isOffline = configuration.showsStaleWhenUnreachable && error.isUnreachable
      return cache?.staleEntry(for: lookup, isOffline: isOffline, at: now)
    default:
      return nil
    }
  }
}

extension Load {
  /// Removes all images that were made of an original that has been replaced or is gone.
  func removeMade(from store: (any DataStore)?) async {
    if watch.isRemovedFromStore { return }
    cache.removeReplacedFromMemory(ofSource: keys.fetch.sourceText)
    if request.resolved.storeAccess.writes { try? await store?.removeReplacedEntries(ofSource: keys.fetch.sourceText) }
  }

  /// Reports a look-up in the store.
  func reportLookUp(miss: CacheMiss?, _ image: EncodedImage?) {
    report(miss.map { .storeMiss($0) } ?? .storeHit(byteCount: image?.data.count ?? 0))
  }
}
