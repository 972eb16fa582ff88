import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Sources without HTTP: files, data and closures of the caller.
extension CachingLoader {
  /// What a closure of the caller returned.
  struct Provided: Sendable {
    let data: Data
    /// The decoded image, if the closure returned one.
    var image: DecodedImage?
  }

  func providedImage(
    _ load: Load, provide: @escaping @Sendable () async throws(ImageError) -> Provided
  ) async throws(ImageError) -> EncodedImage {
    let request = load.request
    let inFlightKey = load.inFlightKey
    if request.readsStore, !request.freshness.contactsServerFirst {
      if let image = inFlight[inFlightKey] {
        load.report(.joined(.bytes))
        return image
      }
      if let image = await storedProvidedImage(load) { return image }
    } else {
      load.report(.storeMiss(.notRead))
    }
    guard request.freshness.usesNetwork else { throw .notCached(key: load.key.sourceText) }
    let start = ContinuousClock.now
    let provided = try await LoadChain.calling(for: link(load.key), provide)
    load.record { $0.add(.transfer, since: start) }
    let image = try localImage(
      provided, of: load, url: nil, origin: .provider,
      storeKey: request.writesStore && provided.image?.isPartial != true ? inFlightKey : nil)
    if image.storable != nil { inFlight.insert(image, for: inFlightKey) }
    return image
  }

  /// A store that fails counts as a miss.
  private func storedProvidedImage(_ load: Load) async -> EncodedImage? {
    guard let store = configuration.store(for: load.request) else {
      load.reportLookUp(miss: .notRead, nil)
      return nil
    }
    let start = ContinuousClock.now
    let (result, tier) = await TierTrace.recording { (try? await store.lookUp(load.key)) ?? .miss(.failed) }
    load.record { $0.add(.storeRead, since: start, miss: result.miss, tier: tier) }
    let image = result.value.flatMap { storedImage($0, of: load, isFromHTTP: false, trace: load.trace, load.watch) }
    load.reportLookUp(miss: image == nil ? result.miss ?? .damaged : nil, image)
    return image
  }

  /// A decoded image with its encoded form, as it is stored.
  func encoded(_ image: DecodedImage) async throws(ImageError) -> Provided {
    if let data = image.animation?.data { return Provided(data: data, image: image) }
    do {
      let data = try await files.run { [encoders = configuration.encoders] _ in
        try StoragePolicy.automatic.encoded(image, by: encoders)
      }
      return Provided(data: data ?? Data(), image: image)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(cause: error, url: .unnamedImage)
    }
  }

  func localImage(
    _ provided: Provided, of load: Load, url: URL?, origin: ImageOrigin, storeKey: InFlightResponses.Key? = nil
  ) throws(ImageError) -> EncodedImage {
    let data = provided.data
    guard !data.isEmpty else { throw .emptyResponse(url ?? .unnamedImage) }
    guard data.count <= configuration.limits.encodedByteCount else {
      throw .responseTooLarge(byteLimit: configuration.limits.encodedByteCount, url: url ?? .unnamedImage)
    }
    let now = configuration.time.now()
    let metadata = EntryMetadata(url: url, requestDate: now, responseDate: now)
    let storable = storeKey.map {
      StorableResponse(metadata: metadata, key: $0.key, requestHeaders: [:], knownVariants: [])
    }
    let inspector = configuration.inspector(of: url, decoder: load.request.optionsBox?.options.decoder)
    return EncodedImage(
      data: data, metadata: metadata, info: try inspector.info(of: data), origin: origin, storable: storable,
      decoded: provided.image, trace: load.trace, watch: load.watch
    ) { [inFlight] in if let storeKey { inFlight.removeReleased(storeKey) } }
  }
}
