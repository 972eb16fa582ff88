import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTesting
import Foundation
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// The threads on which images are decoded and processed.
@Suite(.unitTest)
struct WorkerThreadTests {
  @Test @MainActor func `decoding and processing run on worker threads, not on the main or a cooperative thread`()
    async throws
  {
    let names = Lock<[String]>([])
    let record: @Sendable () -> Void = {
      let name = Thread.isMainThread ? "main" : Thread.current.name ?? ""
      names.withLock { $0.append(name) }
    }
    let fixture = PipelineFixture(decoder: SolidDecoder(beforeDecode: record)) { _ in
      .response(body: SolidImage(width: 10, height: 10).data)
    }
    var request = ImageRequest(url: fixture.url)
    request.processors = [
      .custom(identifier: "thread") { bitmap in
        record()
        return bitmap
      }
    ]
    _ = try await fixture.pipeline.image(for: request)
    #expect(names.withLock { $0 } == ["halcyon.decoder", "halcyon.decoder"])
  }
}
