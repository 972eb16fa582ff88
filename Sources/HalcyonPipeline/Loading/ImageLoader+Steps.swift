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
  func runSteps(of load: Load, keepsResult: Bool) async throws(ImageError) -> Loaded {
    if load.memory?.staleImage == nil, let image = imageLoadedMeanwhile(load) { return Loaded(image: image) }
    return await keep(try await makeImage(load, keepsResult: keepsResult), load)
  }

  private func makeImage(_ load: Load, keepsResult: Bool) async throws(ImageError) -> Loaded {
    // The load of the steps that read the original bytes; a stored variant is still older than them.
    var (remaining, encoded) = (load, nil as EncodedImage?)
    if let stale = load.memory?.staleImage, stale.facts.freshness != nil {
      let current = try await bytes.encodedImage(for: load)
      if let loaded = await renewed(stale, by: current, load) { return loaded }
      // The server has been contacted: the steps below find the bytes as long as they are held.
      if current.isFoundAgain, load.request.freshness.contactsServerFirst {
        remaining = load.changed { $0.cachePolicy = .standard }
      }
      encoded = current
    }
    defer { withExtendedLifetime(encoded) {} }
    if keepsResult, let variant = try await storedVariant(load) { return variant }
    if let processor = load.request.processors.last { return try await process(remaining, with: processor) }
    if let encoded { return try await decode(encoded, remaining) }
    return try await decode(try await bytes.encodedImage(for: remaining), remaining)
  }

  /// The stale image, if the bytes that are valid now are those it was decoded from.
  @inline(never)
  private func renewed(_ stale: DecodedImage, by encoded: EncodedImage, _ load: Load) async -> Loaded? {
    guard let image = await renewedImage(stale, by: encoded, load) else { return nil }
    await storeOriginalIfWanted(encoded, load, load.cache.placeholders[load.keys.fetch])
    return Loaded(image: image, encoded: encoded, trace: encoded.trace)
  }
}
