import Foundation
import Halcyon
import HalcyonPipeline
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Processors that see the request and the response.
@Suite(.integrationTest)
struct ContextualProcessorTests {
  /// Records its contexts, and changes nothing.
  private final class Recorder: ContextualImageProcessor {
    let identifier: String
    private let recorded = Lock<[ImageProcessingContext]>([])

    init(_ identifier: String = "recorder") { self.identifier = identifier }

    var contexts: [ImageProcessingContext] { recorded.withLock { $0 } }

    func process(_ bitmap: Bitmap) -> Bitmap { bitmap }

    func process(_ bitmap: Bitmap, in context: ImageProcessingContext) -> Bitmap {
      recorded.withLock { $0.append(context) }
      return bitmap
    }
  }

  @Test func `a processor sees the request, the response after redirects, and that the image is complete`() async throws
  {
    try await withPipeline { server, pipeline in
      let target = server.serve("/b.jpg", .body(try Photos.data("rocket.jpg"), headers: ["X-Focus": "left"]))
      let url = server.serve("/a.jpg", .redirect(to: "/b.jpg", status: 301))
      let recorder = Recorder()
      var request = ImageRequest(url: url, size: .fit(width: 64, height: 64), processors: [recorder])
      request.options.userInfo = ["cell": 7]
      _ = try await pipeline.image(for: request)
      let context = try #require(recorder.contexts.first)
      #expect(context.isComplete)
      #expect(context.info.pixelSize == PixelSize(width: 640, height: 427))
      #expect(context.request.size == request.size && context.request.options.userInfo?["cell"] as? Int == 7)
      #expect(context.response?.url == target)
      #expect(context.response?.status == 200)
      #expect(context.response?.headers["X-Focus"] == "left")
      #expect(try await pipeline.response(for: request).origin == .memory)
      #expect(recorder.contexts.count == 1)
    }
  }

  @Test func `the response of a stored image and of an image in memory is the one it was loaded with`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg", .body(photo, headers: ["X-Focus": "left", "Cache-Control": "max-age=600"]))
      let first = ImagePipeline { $0.cache = ImageCache(in: folder) }
      _ = try await first.image(for: url)
      await first.cache.flush()
      let (afterMemory, afterStore) = (Recorder("memory"), Recorder("store"))
      _ = try await first.image(for: ImageRequest(url: url, processors: [.invert, afterMemory]))
      let second = ImagePipeline { $0.cache = ImageCache(in: folder) }
      _ = try await second.image(for: ImageRequest(url: url, processors: [afterStore]))
      #expect(afterMemory.contexts.map { $0.response?.headers["X-Focus"] } == ["left"])
      #expect(afterStore.contexts.map { $0.response?.headers["X-Focus"] } == ["left"])
      #expect(server.requests.count == 1)
      await second.cache.flush()
    }
  }

  @Test func `a source without HTTP has no response`() async throws {
    try await withPipeline { _, pipeline in
      let recorder = Recorder()
      let photo = try Photos.data("rocket.jpg")
      _ = try await pipeline.image(for: ImageRequest(source: .data(photo, key: "a"), processors: [recorder]))
      #expect(recorder.contexts.count == 1)
      #expect(recorder.contexts.allSatisfy { $0.response == nil && $0.isComplete })
    }
  }

  @Test func `previews are processed as incomplete images of the same response`() async throws {
    try await withOrigin { server, folder in
      var configuration = PipelineConfiguration()
      configuration.cache = ImageCache(in: folder)
      configuration.progressInterval = .zero
      let pipeline = ImagePipeline(configuration: configuration)
      let gate = Gate()
      let photo = try Photos.data("rocket_progressive.jpg")
      let reply = Reply.body(photo, headers: ["X-Focus": "left"]).held(by: gate, at: .body(photo.count * 3 / 4))
      let recorder = Recorder()
      var request = ImageRequest(
        url: server.serve("/a.jpg", reply), size: .fit(width: 64, height: 64), processors: [recorder])
      request.previews = PreviewPolicy(minimumInterval: .zero)
      for await event in pipeline.task(for: request).events {
        if case .preview = event { gate.open() }
      }
      // A preview may still be processed when the image is complete.
      #expect(recorder.contexts.first?.isComplete == false)
      #expect(recorder.contexts.filter(\.isComplete).count == 1)
      #expect(recorder.contexts.allSatisfy { $0.response?.headers["X-Focus"] == "left" })
      await pipeline.cache.flush()
    }
  }
}
