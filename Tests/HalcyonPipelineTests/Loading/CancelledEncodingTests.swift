import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The search for a quality within a byte limit, when its load has been cancelled.
@Suite(.unitTest)
struct CancelledEncodingTests {
  @Test func `no further quality is tried after a cancellation`() async throws {
    let encoder = HeldEncoder()
    let fixture = PipelineFixture(configure: {
      $0.encoders = [encoder]
      $0.decodingThreads = 1
    }) { _ in .response(body: SolidImage(width: 100, height: 50).data) }
    let request = ImageRequest(url: fixture.url)
    let load = Task { try await fixture.pipeline.encodedData(for: request, as: .bmp, byteLimit: 3) }
    await encoder.began.wait()
    load.cancel()
    #expect(await (load.result.failure as? ImageError)?.name == "cancelled")
    encoder.release.signal()
    // The only worker encodes this one after the first search has ended.
    let other = ImageRequest(url: fixture.url.appending(path: "b"))
    _ = try await fixture.pipeline.encodedData(for: other, as: .bmp)
    #expect(encoder.count == 2)
  }
}

/// An encoder of which the first call waits on its thread; its files have a byte for each percent of the quality.
private final class HeldEncoder: ImageEncoder {
  let format = ImageFormat.bmp
  let began = Signal()
  let release = DispatchSemaphore(value: 0)
  private let calls = Lock(0)

  var count: Int { calls.withLock(\.self) }

  func encode(_ bitmap: Bitmap, options: EncodingOptions) -> Data {
    let number = calls.withLock { calls in
      calls += 1
      return calls
    }
    if number == 1 {
      began.set()
      release.waitWithLimit()
    }
    return Data(count: Int(options.quality * 100))
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
