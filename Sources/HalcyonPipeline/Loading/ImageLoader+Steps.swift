import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// The steps of a job.
///
/// - A stale image in memory is revalidated. If its bytes have not changed, it is fresh again without decoding.
/// - The processed image in the store, if the storage policy stores it.
/// - The image before the last processor, which is a load of its own, and then the processor.
/// - Without processors: the encoded bytes from the store or the network, decoded at the requested size.
/// - The image is put into memory, and its bytes into the store, which delays no caller.
extension ImageLoader {
  func runSteps(of load: Load, keepsResult: Bool) async throws(ImageError) -> LoadedImage {
    guard load.resolved.size.isValid else { throw .invalidTargetSize(load.resolved.size, url: load.key.sourceURL) }
    if load.memory?.staleImage == nil, case .hit(let image)? = lookUpAgain(load.request, load.key) {
      return LoadedImage(image: image)
    }
    return await keep(try await makeImage(load, keepsResult: keepsResult), load)
  }

  private func makeImage(_ load: Load, keepsResult: Bool) async throws(ImageError) -> LoadedImage {
    try checkFailure(of: load, as: load.key)
    if let stale = load.memory?.staleImage, stale.facts.freshness != nil {
      return try await replace(stale, load, keepsResult: keepsResult)
    }
    return try await make(load, readsVariant: keepsResult)
  }

  /// The stale image if it is still valid, otherwise the one that replaces it.
  private func replace(_ stale: DecodedImage, _ load: Load, keepsResult: Bool) async throws(ImageError) -> LoadedImage {
    let encoded = try await bytes.encodedImage(for: load)
    // Later steps find these bytes in flight as long as they are held.
    defer { withExtendedLifetime(encoded) {} }
    if let loaded = await renewed(stale, by: encoded, load) { return loaded }
    guard encoded.isFoundAgain, load.resolved.cachePolicy.contactsServerFirst else {
      return try await make(load, from: encoded, readsVariant: keepsResult)
    }
    // The server has been contacted already. A stored variant, and images before processors in memory, are older than
    // these bytes.
    let remaining = load.changed {
      $0.cachePolicy = .standard
      $0.memoryAccess = ($0.memoryAccess ?? .readWrite).withoutReads
    }
    return try await make(remaining, from: encoded, readsVariant: false)
  }

  /// - Parameters:
  ///   - encoded: The bytes, if they are known.
  ///   - readsVariant: Whether the processed image may come from the store.
  private func make(
    _ load: Load, from encoded: EncodedImage? = nil, readsVariant: Bool
  ) async throws(ImageError) -> LoadedImage {
    if readsVariant, load.request.encodesImages, let variant = try await storedVariant(load) { return variant }
    if let processor = load.request.processors.last { return try await process(load, with: processor) }
    if let encoded { return try await decode(encoded, load) }
    return try await decode(try await bytes.encodedImage(for: load), load)
  }

  /// The stale image, if it was decoded from the bytes that are valid now.
  @inline(never)
  private func renewed(_ stale: DecodedImage, by encoded: EncodedImage, _ load: Load) async -> LoadedImage? {
    guard let image = await renewedImage(stale, by: encoded, load) else { return nil }
    await storeOriginalIfWanted(encoded, load, load.cache.placeholders[load.keys.fetch])
    return LoadedImage(image: image, encoded: encoded, trace: encoded.trace)
  }
}
