import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Closures of the program that load images with the pipeline that calls them.
@Suite(.unitTest)
struct CircularLoadTests {
  private final class Box: Sendable {
    let pipeline = Lock<ImagePipeline?>(nil)

    func data(for request: ImageRequest) async throws -> Data {
      guard let pipeline = pipeline.withLock({ $0 }) else { throw ImageError.cancelled }
      return try await pipeline.data(for: request)
    }

    func image(for request: ImageRequest) async throws {
      guard let pipeline = pipeline.withLock({ $0 }) else { throw ImageError.cancelled }
      _ = try await pipeline.image(for: request)
    }
  }

  private func isCircular(_ error: (any Error)?) -> Bool {
    guard let error = error as? ImageError else { return false }
    return switch error {
    case .circularLoad: true
    case .providerFailed(_, let cause): isCircular(cause)
    default: false
    }
  }

  private func provider(_ key: String, _ data: @escaping @Sendable () async throws -> Data) -> ImageRequest {
    ImageRequest(source: .data(key: key, load: data))
  }

  @Test func `a provider or resolver that loads its own key gets an error, and the key works afterwards`() async throws
  {
    let fixture = PipelineFixture.serving()
    let box = Box()
    box.pipeline.withLock { $0 = fixture.pipeline }
    let own = ImageRequest(url: fixture.url)
    let data = provider("a") { try await box.data(for: .cached("a").loading) }
    let image = provider("a") {
      try await box.image(for: .cached("a").loading)
      return Data()
    }
    let resolver = ImageRequest(
      source: .url(key: "a") { [url = fixture.url] in
        try await box.image(for: .cached("a").loading)
        return url
      })
    for request in [data, image, resolver] {
      let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
      #expect(isCircular(error))
    }
    let bytes = SolidImage(width: 3, height: 3).data
    #expect(try await fixture.pipeline.image(for: provider("a") { bytes }).size.width == 3)
    _ = try await fixture.pipeline.image(for: own)
  }

  @Test func `two providers that load each other get errors, whichever begins`() async throws {
    for startsBoth in [false, true] {
      let fixture = PipelineFixture.serving()
      let (box, running) = (Box(), Counter())
      box.pipeline.withLock { $0 = fixture.pipeline }
      let requests = Lock<[ImageRequest]>([])
      func member(_ index: Int) -> ImageRequest {
        provider("member \(index)") {
          running.increment()
          if startsBoth { await running.wait(for: 2) }
          return try await box.data(for: requests.withLock { $0[1 - index] })
        }
      }
      requests.withLock { $0 = [member(0), member(1)] }
      let tasks = (startsBoth ? [0, 1] : [0]).map { index in
        fixture.pipeline.task(for: requests.withLock { $0[index] })
      }
      for task in tasks { await #expect(throws: ImageError.self) { try await task.image } }
      #expect(fixture.pipeline.activeJobCount == 0)
    }
  }

  @Test func `a provider may load other images, also several at once`() async throws {
    let fixture = PipelineFixture.serving()
    let box = Box()
    box.pipeline.withLock { $0 = fixture.pipeline }
    let url = fixture.url
    let inner = provider("inner") { try await box.data(for: ImageRequest(url: url)) }
    let outer = provider("outer") {
      async let first = box.data(for: inner)
      async let second = box.data(for: ImageRequest(url: url))
      _ = try await second
      return try await first
    }
    #expect(try await fixture.pipeline.image(for: outer).size.width == 100)
    #expect(fixture.transport.requests.count == 1)
  }
}

extension ImageRequest {
  /// The request with its default freshness, so that its source is loaded.
  fileprivate var loading: ImageRequest {
    var request = self
    request.cachePolicy = .standard
    return request
  }
}
