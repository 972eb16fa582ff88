import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest) struct ImageErrorCausesTests {
  private struct Refused: Error {}

  private let url = URL(filePath: "/a")

  @Test(
    arguments: [
      (.proxyFailed(proxy: "a", status: nil, reason: "b"), true, true),
      (.proxyFailed(proxy: "a", status: 503, reason: "b"), true, true),
      (.proxyFailed(proxy: "a", status: 407, reason: "b"), false, true), (.hostNotFound("a"), true, true),
      (.connectionFailed(host: "a", reason: "b"), true, true), (.connectTimedOut(.seconds(1)), true, true),
      (.idleTimedOut(.seconds(1)), true, false), (.connectionLost(received: 1, expected: nil), true, false),
    ] as [(TransportError, Bool, Bool)])
  func `a failed transfer may succeed later, and may have reached no server`(
    error: TransportError, isTransient: Bool, isUnreachable: Bool
  ) {
    let error = ImageError.transport(error, url: url)
    #expect(error.isTransient == isTransient)
    #expect(error.isUnreachable == isUnreachable)
  }

  @Test func `an error of a transport or processor of the program is the cause, unless it is a cancellation`() {
    #expect(ImageError(transferring: url, Refused()).name == "failed")
    let causes: [(any Error, String)] = [(Refused(), "processingFailed"), (CancellationError(), "cancelled")]
    for (cause, name) in causes {
      let error = RenderingError.processing(identifier: "a", cause)
      #expect(ImageError(rendering: error, url: url).name == name)
    }
  }

  @Test func `a source that cannot be used is an error at once, unless the request has another source`() {
    let pipeline = PipelineFixture.serving().pipeline
    var request = ImageRequest(source: .string("no url"))
    #expect(pipeline.sourceError(of: request)?.name == "invalidURL")
    request.alternatives = [.url(url)]
    #expect(pipeline.sourceError(of: request) == nil)
    (request.alternatives, request.lowDataSource) = ([], .url(url))
    #expect(pipeline.sourceError(of: request) == nil)
  }
}
