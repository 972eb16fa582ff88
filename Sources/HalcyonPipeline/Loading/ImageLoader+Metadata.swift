import HalcyonCache
import HalcyonImaging
import HalcyonSupport

extension ImageLoader {
  /// The metadata of a request's image, read from its encoded bytes on a worker thread.
  func metadata(for request: ImageRequest) async throws(ImageError) -> ImageMetadata {
    let encoded = try await encodedImage(for: request)
    let url = encoded.metadata.url ?? .unnamedImage
    do {
      let decoder = try configuration.decoders(for: request).decoder(for: encoded.info.format)
      return try await workers.run(priority: request.loadPriority) { _ in try decoder.metadata(of: encoded.data) }
    } catch let error as ImageDecodingError {
      throw .decoding(error, url: url)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(cause: error, url: url)
    }
  }
}
