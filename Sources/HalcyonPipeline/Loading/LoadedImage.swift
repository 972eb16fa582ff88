import HalcyonCache
import HalcyonImaging

/// The result of a job.
struct LoadedImage: Sendable {
  var image: DecodedImage
  /// The bytes that the image was made from; `nil` if it was made from an image in memory.
  var encoded: EncodedImage?
  var trace = LoadTrace()
  /// The write of the processed image to the store, if it was started.
  var variantWrite: Task<Void, Never>?
  /// Whether the processed image came from the store.
  var isStoredVariant = false

  /// Whether the image, or the bytes that it was made from, have been removed or replaced since their loads began.
  func isRemoved(_ watch: RemovalWatch) -> Bool {
    watch.isRemovedFromMemory || watch.isRemovedFromStore || encoded?.isRemovedOrReplaced ?? watch.isReplaced
  }

  /// Waits until all writes of the image have ended.
  mutating func waitForWriting() async throws(ImageError) {
    let start = ContinuousClock.now
    try await encoded?.waitForWriting()
    try await variantWrite?.waitUnlessCancelled()
    trace.add(.storeWrite, since: start)
  }
}

extension LoadedImage: LoadResult {
  var lastEvent: PipelineEvent.Kind { .finished(encoded?.origin ?? .memory, trace) }
  func shownResponse(to request: ImageRequest) -> ImageResponse? { ImageResponse(self, for: request) }
}

extension ImageResponse {
  init(_ loaded: LoadedImage, for request: ImageRequest) {
    guard let encoded = loaded.encoded else {
      self.init(memory: loaded.image, of: request.source)
      trace = loaded.trace
      return
    }
    self.init(
      image: loaded.image, origin: encoded.origin, url: encoded.metadata.url, encodedByteCount: encoded.data.count,
      encodedData: request.keepsEncodedData == true ? encoded.data : nil, trace: loaded.trace)
  }
}
