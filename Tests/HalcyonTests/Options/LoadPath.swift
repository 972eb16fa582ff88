import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonViews
import TestSupport
import Testing

/// The ways to load an image, and the kinds of images for which the pipeline has steps of their own: the columns of the
/// table “Options on every path” in `Tests/BEHAVIOURS.md`.
enum LoadPath: String, CaseIterable, Sendable {
  case image
  case data
  case info
  case file
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
  case encoded

  /// The paths that decode the image into memory.
  static let decoding = allCases.filter(\.decodes)
  /// The paths that decode the image.
  static let withPixels = decoding + [.encoded]
  /// The paths that load only bytes.
  static let bytesOnly = allCases.filter { !withPixels.contains($0) }
  /// The paths that deliver the image to the caller.
  static let delivering = decoding.filter { $0 != .prefetchToMemory }

  /// What a path delivers.
  struct Result {
    var response: ImageResponse?
    var data: Data?
    var info: ImageInfo?

    var image: DecodedImage? { response?.image }

    /// The image in the data of ``LoadPath/encoded``.
    var decodedImage: DecodedImage? {
      data.flatMap { try? PNGDecoder().decode($0, options: DecodingOptions()) }
    }
  }

  private var decodes: Bool {
    switch self {
    case .data, .info, .file, .prefetchToStore, .encoded: false
    default: true
    }
  }

  /// The file that the server of a test has for this path.
  var served: Data {
    get throws {
      try self == .animation ? TestImage.gif(reds: [10, 20, 30, 40]) : TestImage.png(width: 80, height: 40)
    }
  }

  /// The number of entries that a load leaves in the store.
  var entryCount: Int { hasVariant ? 2 : 1 }

  /// Whether a load stores an encoded image.
  var hasVariant: Bool { self == .variant || self == .encoded }

  /// A request that takes this path when it is loaded.
  func request(_ fixture: OptionsFixture, _ change: (inout RequestOptions) -> Void = { _ in }) -> ImageRequest {
    var request = fixture.request(change)
    if self == .variant, request.options.storage == nil { request.options.storage = .sticker }
    if self == .view || hasVariant { request.size = .fit(width: 20, height: 20) }
    return request
  }

  /// Loads a request.
  func load(_ request: ImageRequest, with pipeline: ImagePipeline) async throws(ImageError) -> Result {
    switch self {
    case .image, .animation, .variant: Result(response: try await pipeline.response(for: request))
    case .data: Result(data: try await pipeline.data(for: request))
    case .encoded: Result(data: try await pipeline.encodedData(for: request, as: .png))
    case .info: Result(info: try await pipeline.info(for: request))
    case .file: Result(data: try await Self.written(request, by: pipeline))
    case .task: Result(response: try await pipeline.task(for: request).response)
    case .batch: Result(response: try await pipeline.results(for: [request])[0].get())
    case .prefetchToMemory: try await Self.prefetched(request, to: .memory, with: pipeline)
    case .prefetchToStore: try await Self.prefetched(request, to: .store, with: pipeline)
    case .view: Result(response: try await PathView.response(for: request, with: pipeline))
    }
  }

  private static func written(_ request: ImageRequest, by pipeline: ImagePipeline) async throws(ImageError) -> Data {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try await pipeline.writeOriginal(for: request, in: folder)
    do { return try Data(contentsOf: file) } catch { throw .failed(cause: error, url: file) }
  }

  private static func prefetched(
    _ request: ImageRequest, to destination: ImagePrefetcher.Destination, with pipeline: ImagePipeline
  ) async throws(ImageError) -> Result {
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

  func show(_ content: DisplayContent, transition: ImageTransition) {}
  func showIndicator(_ indicator: LoadingIndicator) {}
  func updateIndicator(_ progress: LoadProgress) {}
  func hideIndicator() {}

  static func response(
    for request: ImageRequest, with pipeline: ImagePipeline
  ) async throws(ImageError) -> ImageResponse {
    let view = PathView()
    let binder = ImageViewBinder(display: view, pipeline: pipeline)
    // The view itself determines its size.
    var unsized = request
    if request.size == .fit(width: 20, height: 20) { unsized.size = .original }
    let result = await withCheckedContinuation { continuation in
      _ = binder.setImage(with: unsized) { continuation.resume(returning: $0) }
    }
    withExtendedLifetime(view) {}
    switch result {
    case .success(let response): return response
    case .failure(.loading(let error)): throw error
    case .failure(let error): throw .failed(cause: error, url: URL(filePath: "/"))
    }
  }
}
