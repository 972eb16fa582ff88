import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestTraits
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
    #expect(codeCount > 35)
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

    let pipeline = ImagePipeline { $0.options.timeout = .seconds(20) }

    let request = ImageRequest(url: url, size: .fit(width: 320, height: 240)) { $0.priority = .high }
    let image = try await pipeline.image(for: request)
    _ = image

    let sticker = try await pipeline.image(for: url, size: .fit(width: 96), options: [.reload, .sticker])
    _ = sticker
  }

  private func loading(_ request: inout ImageRequest, _ thermal: any ImageDecoder) {
    request.priority = .veryHigh
    request.timeout = .seconds(5)
    request.previews = PreviewPolicy(minimumInterval: .seconds(1))
    request.previews = PreviewPolicy(keepsLast: true)
    request.colorSpace = .source
    request.dynamicRange = .high
    request.allowsPartialImage = true
    request.allowsErrorImage = true
    request.decoder = thermal
  }

  private func caches(_ request: inout ImageRequest, _ stickers: ImageCache) {
    request.cachePolicy = .reload
    request.cachePolicy = .revalidate
    request.cachePolicy = .cacheOnly
    request.cachePolicy = .staleFirst
    request.storeAccess = .disabled
    request.memoryAccess = .disabled
    request.storeAccess = .writeOnly
    request.memoryAccess = .readOnly
    request.usesETags = false
    request.cache = stickers
  }

  private func storage(_ request: inout ImageRequest) {
    request.storage = .original
    request.storage = .automatic
    request.storage = .photo
    request.storage = .sticker
    request.storage = .encoded(as: .webp, quality: 0.7)
    request.storage = .encoded(as: .jpeg, byteLimit: 30_000)
    request.storage = .encoded(as: .webp, keepsOriginal: false)
    request.waitsForStore = true
  }

  private func entries(_ request: inout ImageRequest) {
    request.memoryExpiration = .after(.seconds(1800))
    request.storeExpiration = .days(30, since: .storing)
    request.tags = ["trip"]
    request.isPinned = true
  }

  private func animations(_ request: inout ImageRequest) {
    request.animation = .firstFrame
    request.animation = .frames(preloaded: true)
    request.animation = .frames(processed: true)
  }

  private func delivery(_ request: inout ImageRequest, _ pipeline: ImagePipeline, queue: DispatchQueue) {
    request.scale = 2
    request.imageModifier = { image in
      DecodedImage(bitmap: image.bitmap, info: image.info)
    }
    let task = pipeline.task(for: request, on: queue) { result in
      if case .success(let response) = result { show(response.image) }
    }
    task.cancel()
  }
}

private func show(_ image: DecodedImage) {}
