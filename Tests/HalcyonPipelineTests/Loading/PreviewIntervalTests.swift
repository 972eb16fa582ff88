import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

@testable import HalcyonPipeline

/// How often previews are made.
@Suite(.unitTest)
struct PreviewIntervalTests {
  /// A decoder that records the stages after which previews are made.
  private struct StagesDecoder: ProgressiveImageDecoder {
    let formats: Set<ImageFormat> = [.bmp]
    let solid = SolidDecoder()
    let stages = EventLog<Int>()

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? { try solid.probe(bytes, isComplete: isComplete) }
    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      try solid.decode(bytes, options: options)
    }
    func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
      stages.record(stage)
      return ImagePreview(image: try solid.decode(prefix, options: options), stage: stage + 7)
    }
  }

  @Test func `bytes that arrive within the interval after a preview make none`() async throws {
    let (clock, decoder) = (TestClock(), StagesDecoder())
    let fixture = PipelineFixture { configuration in
      (configuration.time, configuration.decoders) = (clock, [decoder])
    } script: { _ in
      .failure(.cancelled)
    }
    var request = ImageRequest(url: fixture.url)
    request.previews = PreviewPolicy(minimumInterval: .seconds(1))
    let maker = try #require(PreviewMaker(request, by: fixture.pipeline.loader))
    let shown = EventLog<Int>()
    func receive(_ width: UInt16) {
      let data = SolidImage(width: width, height: 1).data
      let size = PixelSize(width: Int(width), height: 1)
      let head = ResponseHead(url: fixture.url, status: 200, headers: [:])
      maker.receive(ReceivedBytes(data: data, info: ImageInfo(format: .bmp, storedSize: size), head: head)) { image in
        shown.record(image.size.width)
      }
    }
    receive(1)
    try await shown.waitForEvents(count: 1)
    for _ in 0..<1000 { await Task.yield() }
    receive(2)
    // As long as the preview would take.
    for _ in 0..<10_000 { await Task.yield() }
    clock.advance(by: .seconds(1))
    receive(3)
    try await shown.waitForEvents(count: 2)
    #expect(shown.events == [1, 3])
    #expect(decoder.stages.events == [0, 7])
  }
}
