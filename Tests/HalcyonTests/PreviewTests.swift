import Foundation
import Halcyon
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

extension CacheKey {
  /// The key of a preview of the image with this key.
  fileprivate var preview: CacheKey { adding("preview", "last") }
}

/// Progressive previews and partial images.
@Suite(.integrationTest)
struct PreviewTests {
  /// Loads a photo that is held at three quarters until a preview has arrived, or not held without `waitsForPreview`.
  private func follow(
    _ request: (URL) -> ImageRequest, named name: String = "rocket_progressive.jpg", waitsForPreview: Bool = true
  ) async throws -> (previews: [DecodedImage], final: DecodedImage) {
    try await withOrigin { server, folder in
      var configuration = PipelineConfiguration()
      configuration.cache = ImageCache(in: folder)
      configuration.progressInterval = .zero
      let pipeline = ImagePipeline(configuration: configuration)
      let gate = Gate()
      if !waitsForPreview { gate.open() }
      let photo = try Photos.data(name)
      let url = server.serve("/a.jpg", .body(photo).held(by: gate, at: .body(photo.count * 3 / 4)))
      let task = pipeline.task(for: request(url))
      var previews: [DecodedImage] = []
      for await event in task.events {
        guard case .preview(let image) = event else { continue }
        previews.append(image)
        gate.open()
      }
      let final = try await task.image
      await pipeline.cache.flush()
      #expect(try await pipeline.cache.disk?.count == 1)
      #expect(pipeline[cached: request(url)]?.isPartial == false)
      return (previews, final)
    }
  }

  private func request(_ url: URL) -> ImageRequest {
    var request = ImageRequest(url: url, size: .fit(width: 160, height: 160))
    request.previews = PreviewPolicy(minimumInterval: .zero)
    return request
  }

  @Test func `a baseline photo is previewed by the rows that have arrived`() async throws {
    let (previews, final) = try await follow(request, named: "rocket.jpg")
    let first = try #require(previews.first)
    #expect(first.isPartial)
    #expect(first.size == final.size)
    #expect(first.bitmap[80, 20] == final.bitmap[80, 20])
  }

  @Test func `there are no previews when they are not requested`() async throws {
    #expect(try await follow({ ImageRequest(url: $0) }, waitsForPreview: false).previews.isEmpty)
  }

  enum Keeping: CaseIterable {
    case asked, notAsked, unstorable, memoryNotWritten, imageInMemory
  }

  @Test(arguments: Keeping.allCases)
  func `the last preview is kept until the image is loaded, if the request and the response allow it`(
    keeping: Keeping
  ) async throws {
    try await withPipeline { server, pipeline in
      let gate = Gate()
      let photo = try Photos.data("rocket_progressive.jpg")
      let reply = Reply.body(photo, headers: keeping == .unstorable ? ["Cache-Control": "no-store"] : [:])
      let url = server.serve("/a.jpg", reply.held(by: gate, at: .body(photo.count * 3 / 4)))
      var request = request(url)
      request.previews?.keepsLast = keeping != .notAsked
      if keeping == .memoryNotWritten { request.memoryAccess = .readOnly }
      if keeping == .imageInMemory {
        pipeline[cached: request] = try await DecodedImage(data: photo)
        request.cachePolicy = .reload
      }
      let (memory, key) = (pipeline.configuration.cache.memory, pipeline.cacheKey(for: request).preview)
      var areKept: [Bool] = []
      for await event in pipeline.task(for: request).events {
        guard case .preview = event else { continue }
        if keeping == .notAsked, areKept.isEmpty {
          let (image, tier) = (pipeline[cached: request], await pipeline.cachedTier(for: request))
          #expect(image == nil && tier == nil, "a preview is not cached as the image")
        }
        areKept.append(memory.contains(key))
        gate.open()
      }
      #expect(areKept.first == (keeping == .asked))
      #expect(!memory.contains(key))
    }
  }

  @Test func `the image info is reported before the image has been received`() async throws {
    try await withPipeline { server, pipeline in
      let gate = Gate()
      let url = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg")).held(by: gate, at: .body(2000)))
      for await event in pipeline.task(for: ImageRequest(url: url)).events {
        if case .info(let info) = event {
          #expect(info.pixelSize == PixelSize(width: 640, height: 427))
          gate.open()
        }
      }
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a truncated photo is not prefetched to the store, also where a partial image is allowed`() async throws {
    try await withPipeline { server, pipeline in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg", .body(photo.prefix(photo.count / 2)))
      var request = ImageRequest(url: url, size: .fit(width: 40, height: 40))
      request.allowsPartialImage = true
      request.options.storage = .encoded(as: .jpeg)
      let result = await ImagePrefetcher(pipeline: pipeline, destination: .store).start([request]).result
      #expect(result.completed.isEmpty)
      #expect(result.failed.count == 1)
      await pipeline.cache.flush()
      #expect(try await pipeline.cache.disk?.count == 0)
    }
  }
}
