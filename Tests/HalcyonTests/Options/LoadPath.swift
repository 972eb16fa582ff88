import Foundation
import Halcyon
import HalcyonBackend
import HalcyonImaging
import HalcyonPipeline
import HalcyonCodecs
import HalcyonViews
import HalcyonTestSupport
import Testing

/// The ways to load an image, and the kinds of images for which the pipeline has steps of their own.
enum LoadPath: String, CaseIterable, Sendable {
  case image
  case data
  case info
  case metadata
  case task
  case batch
  case prefetchToMemory
  case prefetchToStore
  case view
  /// An animated image.
  case animation
  /// An image with a ``StoragePolicy``, which is stored in addition to the original.
  case variant
  /// ``ImagePipeline/encodedData(for:as:quality:byteLimit:metadata:)`` as PNG.
  case encodedData
  /// ``ImagePipeline/encodedResponse(for:as:quality:byteLimit:metadata:)`` as PNG.
  case encodedResponse
  /// ``ImagePipeline/encodedResponse(for:planIdentifier:plan:)``, with a plan that has a size of its own, as PNG.
  case plannedResponse

  static let prefetches: [LoadPath] = [.prefetchToMemory, .prefetchToStore]
  /// The paths that load only bytes.
  static let bytesOnly: [LoadPath] = [.data, .info, .metadata, .prefetchToStore]
  /// The paths that deliver an encoded image.
  static let encoding: [LoadPath] = [.encodedData, .encodedResponse, .plannedResponse]
  /// The paths that decode the image into memory.
  static let decoding = allCases.filter { !(bytesOnly + encoding).contains($0) }
  /// A task, and the kinds of images that it has steps for.
  static let tasks: [LoadPath] = [.task, .animation, .variant]

  /// What a path delivers.
  struct Result {
    var response: ImageResponse?
    var data: Data?
    var info: ImageInfo?

    var image: DecodedImage? { response?.image }

    /// The image in the data of the paths in ``LoadPath/encoding``.
    var decodedImage: DecodedImage? {
      data.flatMap { try? PNGDecoder().decode($0, options: DecodingOptions()) }
    }
  }

  /// The file that the server of a test has for this path.
  var served: Data {
    get throws {
      try self == .animation ? TestImage.gif(reds: [10, 20, 30, 40]) : TestImage.png(width: 80, height: 40)
    }
  }

  /// Whether a load delivers an encoded image.
  var encodes: Bool { Self.encoding.contains(self) }

  /// The number of entries that a load leaves in the store.
  var entryCount: Int { hasVariant ? 2 : 1 }

  /// Whether a load stores an encoded image.
  var hasVariant: Bool { self == .variant || encodes }

  /// A request that takes this path when it is loaded.
  func request(_ fixture: OptionsFixture, _ change: (inout RequestOptions) -> Void = { _ in }) -> ImageRequest {
    var request = fixture.request(change)
    if self == .variant, request.storage == nil { request.storage = .sticker }
    if self == .view || hasVariant { request.size = .fit(width: 20, height: 20) }
    return request
  }

  /// Loads a request.
  func load(_ request: ImageRequest, with pipeline: ImagePipeline) async throws(ImageError) -> Result {
    switch self {
    case .image, .animation, .variant: Result(response: try await pipeline.response(for: request))
    case .data: Result(data: try await pipeline.data(for: request))
    case .info: Result(info: try await pipeline.info(for: request))
    case .metadata: Result(info: try await pipeline.metadata(for: request).info)
    case .task: Result(response: try await pipeline.task(for: request).response)
    case .batch: Result(response: try await pipeline.batch(for: [request]).results[0].get())
    case .prefetchToMemory: try await Self.prefetched(request, to: .memory, with: pipeline)
    case .prefetchToStore: try await Self.prefetched(request, to: .store, with: pipeline)
    case .view: Result(response: try await PathView().response(for: request, with: pipeline))
    case .encodedData: Result(data: try await pipeline.encodedData(for: request, as: .png))
    case .encodedResponse: Result(data: try await pipeline.encodedResponse(for: request, as: .png).data)
    case .plannedResponse: Result(data: try await Self.planned(request, by: pipeline))
    }
  }

  /// Loads a request for a view, or by a task on all other paths.
  ///
  /// - Parameter onPreview: Called with each preview before the image.
  func load(
    _ request: ImageRequest, with pipeline: ImagePipeline, onPreview: @escaping @Sendable (DecodedImage) -> Void
  ) async throws(ImageError) -> DecodedImage {
    if self == .view { return try await PathView(onPreview).response(for: request, with: pipeline).image }
    // The task of a view keeps its events from the first one on; a stream that is opened later may miss the previews of a
    // quick load.
    let task = pipeline.viewTask(for: request, after: pipeline.lookUpMemory(for: request))
    if let events = task.viewEvents {
      for await event in events {
        switch event {
        case .event(.preview(let image)): onPreview(image)
        case .stale(let response): onPreview(response.image)
        default: break
        }
      }
    }
    return try await task.image
  }

  private static func planned(_ request: ImageRequest, by pipeline: ImagePipeline) async throws(ImageError) -> Data {
    try await pipeline.plannedResponse(for: request, planIdentifier: "small") { _ in
      Rendition(size: .fit(width: 20, height: 20), encoding: .init(as: .png))
    }.data
  }

  private static func prefetched(
    _ request: ImageRequest, to destination: ImagePrefetcher.Destination, with pipeline: ImagePipeline
  ) async throws(ImageError) -> Result {
    var request = request
    // Without a size it goes to the store only.
    if destination == .memory { request.size = request.size ?? .original }
    let result = await ImagePrefetcher(pipeline: pipeline, destination: destination).start([request]).result
    if let failure = result.failed.first { throw failure.error }
    return Result()
  }
}

/// A view of 20 x 20 pixels, which lives until its load has completed.
@MainActor
private final class PathView: ImageDisplay {
  let displaySize = ViewSize(width: 20, height: 20)
  let displayScale = 1.0
  let displayMode = ImageDisplayMode.fit
  private let onPreview: @Sendable (DecodedImage) -> Void

  init(_ onPreview: @escaping @Sendable (DecodedImage) -> Void = { _ in }) { self.onPreview = onPreview }

  func show(_ content: DisplayContent, transition: ImageTransition) {
    if content.role == .preview, let image = content.image { onPreview(image) }
  }

  func showIndicator(_ indicator: LoadingIndicator) {}
  func updateIndicator(_ progress: LoadProgress) {}
  func hideIndicator() {}

  func response(for request: ImageRequest, with pipeline: ImagePipeline) async throws(ImageError) -> ImageResponse {
    let binder = ImageViewBinder(display: self, pipeline: pipeline)
    // The view itself determines its size.
    var unsized = request
    if request.size == .fit(width: 20, height: 20) { unsized.size = nil }
    let result = await withCheckedContinuation { continuation in
      _ = binder.hc.setImage(with: unsized) { continuation.resume(returning: $0) }
    }
    switch result {
    case .success(let response): return response
    case .failure(.loading(let error)): throw error
    case .failure(let error): throw .failed(cause: error, url: URL(filePath: "/"))
    }
  }
}
