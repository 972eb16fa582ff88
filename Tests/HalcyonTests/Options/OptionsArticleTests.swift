import Foundation
import Halcyon
import HalcyonImaging
import TestTraits
import Testing

@Suite(.integrationTest)
struct OptionsArticleTests {
  @Test func `every code line of the options article is compiled here`() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().appending(path: "../../..")
    let article = root.appending(path: "Sources/Halcyon/Halcyon.docc/Options.md")
    let compiled = Set(try lines(of: here))
    var isCode = false
    var codeCount = 0
    for line in try lines(of: article) {
      if line.hasPrefix("```") {
        isCode = line == "```swift"
      } else if isCode, !line.isEmpty {
        codeCount += 1
        #expect(compiled.contains(line))
      }
    }
    #expect(codeCount > 40)
  }

  /// The lines of a file, without indentation and comments.
  private func lines(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let code = line.range(of: "  //").map { line[..<$0.lowerBound] } ?? line[...]
      return code.trimmingCharacters(in: .whitespaces)
    }
  }

  private func overview(_ url: URL) async throws {
    RequestOptions.global.storage = .automatic

    var configuration = PipelineConfiguration.standard()
    configuration.defaultOptions.timeout = .seconds(20)
    let pipeline = ImagePipeline(configuration: configuration)

    var request = ImageRequest(url: url, size: .fit(width: 320, height: 240))
    request.options.priority = .high
    let image = try await pipeline.image(for: request)
    _ = image
  }

  private func loading(_ request: inout ImageRequest) {
    request.options.priority = .veryHigh
    request.options.timeout = .seconds(5)
    request.options.previews = PreviewPolicy(minimumInterval: .seconds(1))
    request.options.keepsPreviews = true
    request.options.allowsPartialImage = true
    request.options.allowsErrorImage = true
  }

  private func components(_ request: inout ImageRequest, _ thermal: any ImageDecoder, _ vpn: any Transport) {
    request.options.decoder = thermal
    request.options.transport = vpn
  }

  private func caches(_ request: inout ImageRequest, _ stickers: ImageCache, _ downloads: ImageCache) {
    request.options.freshness = .reloadIgnoringCache
    request.options.freshness = .revalidate
    request.options.freshness = .cacheOnly
    request.options.cachePolicy = .memoryOnly
    request.options.cachePolicy = .storeOnly
    request.options.cachePolicy = .ignoringStore
    request.options.cachePolicy = .disabled
    request.options.cachePolicy = CachePolicy(writesMemory: false)
    request.options.usesETags = false
    request.options.showsStaleFirst = true
    request.options.targetCache = stickers
    request.options.originalCache = downloads
  }

  private func storage(_ request: inout ImageRequest) {
    request.options.storage = .original
    request.options.storage = .automatic
    request.options.storage = .photo
    request.options.storage = .sticker
    request.options.storage = .encoded(as: .webp, quality: 0.7)
    request.options.storage = .photo.limited(toBytes: 30_000)
    request.options.keepsOriginal = false
    request.options.waitsForStore = true
  }

  private func entries(_ request: inout ImageRequest) {
    request.options.memoryExpiration = .minutes(30)
    request.options.storeExpiration = .days(30, since: .storing)
    request.options.tags = ["trip"]
    request.options.isPinned = true
  }

  private func pixels(_ request: inout ImageRequest) {
    request.options.usesOriginalSize = true
    request.options.downsamplingScale = 1.5
    request.options.scaleFactor = 2
    request.options.firstFrameOnly = true
    request.options.preloadsFrames = true
    request.options.processesFrames = true
  }

  private func handingOut(_ request: inout ImageRequest, _ pipeline: ImagePipeline, queue: DispatchQueue) {
    request.options.imageModifier = { image in
      DecodedImage(bitmap: image.bitmap, info: image.info)
    }
    request.options.callbackExecutor = CallbackExecutor { queue.async(execute: $0) }
    let task = pipeline.task(for: request) { result in
      if case .success(let response) = result { show(response.image) }
    }
    task.cancel()
  }

  private func files(_ request: inout ImageRequest, _ pipeline: ImagePipeline, _ folder: URL) async throws {
    request.options.fileExtension = "jpeg"
    let file = try await pipeline.writeOriginal(for: request, in: folder)
    _ = file
  }
}

private func show(_ image: DecodedImage) {}
