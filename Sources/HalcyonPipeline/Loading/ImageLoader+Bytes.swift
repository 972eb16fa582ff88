import Foundation
import HalcyonCache
@_spi(Programs) import HalcyonImaging
import HalcyonSupport

/// Loads of encoded bytes for callers, from the first source that succeeds. Only the header is read before they are
/// stored, and where the file ends.
extension ImageLoader {
  /// - Parameter needsEnd: Whether a file that ends too early is an error, unless the request allows a partial image.
  func encodedImage(
    for request: ImageRequest, needsEnd: Bool, onProgress: (@Sendable (LoadProgress) -> Void)? = nil
  ) async throws(ImageError) -> EncodedImage {
    let subscription = LoadSubscription(priority: request.resolved.priority) { event in
      if case .progress(let progress) = event { onProgress?(progress) }
    }
    return try await around(newLoad(request, for: subscription)) { [self] load throws(ImageError) in
      if needsEnd { try checkFailure(of: load, as: load.keys.whole) }
      let encoded = try await bytes.encodedImage(for: load)
      do throws(ImageError) {
        return try await fetchingAgain(encoded, load, as: load.keys.whole) { [self] encoded throws(ImageError) in
          try await storeFetched(encoded, load)
          return encoded
        }
      } catch {
        if needsEnd || !error.isDamage { throw error }
        return encoded
      }
    }
  }

  /// Starts storing the bytes and, if the request waits for it, waits until they are stored.
  ///
  /// - Throws: The error of a decoder if the file ends too early.
  func storeFetched(_ encoded: EncodedImage, _ load: Load) async throws(ImageError) {
    guard try await isWhole(encoded.data, encoded.info, load.request, encoded.sourceURL) else { return }
    replaceEarlier(by: encoded, load)
    await storeOriginalIfWanted(encoded, load, nil)
    if load.resolved.waitsForStore { try await encoded.waitForWriting() }
    if load.request.optionsBox != nil { try await applyStoreOptions(load, after: encoded) }
  }

  /// Whether a file that is not decoded has all of its pixels. Where its structure says that it is cut, which costs little to
  /// read, it is decoded: browsers show a file that lacks only what follows its pixels. Of an animation, frames are missing.
  ///
  /// - Returns: `false` for one that is cut, if the request allows a partial image.
  /// - Throws: The error of the decoder for one that is cut.
  func isWhole(
    _ data: Data, _ info: ImageInfo, _ request: ImageRequest, _ url: URL
  ) async throws(ImageError) -> Bool {
    guard info.format.lacksEnd(data) else { return true }
    if info.frameCount > 1 {
      if request.resolved.allowsPartialImage { return false }
      throw .decoding(.truncated(info.format), url: url)
    }
    do {
      let decoder = try configuration.decoders(for: request).decoder(for: info.format)
      return try await workers.run(priority: request.resolved.priority) { [renderer] flag in
        let rendition = request.completed(Rendition(size: .original))
        let file = Renderer.File(data, by: decoder)
        return try flag.asCurrent { try !renderer.rendered(file, as: rendition) { flag.isCancelled }.isPartial }
      }
    } catch {
      let error = ImageError(rendering: error, url: url)
      if case .cancelled = error { throw error }
      // What cannot be decoded here is not known to be cut.
      if !error.isDamage { return true }
      throw error
    }
  }

  /// The metadata of a request's image, read from its encoded bytes on a worker thread.
  func metadata(for request: ImageRequest) async throws(ImageError) -> ImageMetadata {
    let encoded = try await encodedImage(for: request, needsEnd: false)
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
