import HalcyonImaging
import HalcyonPipeline
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Processors in requests.
@Suite(.unitTest)
struct ProcessedRequestTests {
  @Test func `a request applies its processors in order`() async throws {
    let fixture = PipelineFixture.serving()
    var request = ImageRequest(url: fixture.url)
    request.processors = [
      .crop(width: 40, height: 20), .rotate(degrees: 90), .invert, .roundedCorners(radius: 6), .blur(radius: 0.5),
    ]
    let image = try await fixture.pipeline.image(for: request)
    #expect(image.size == PixelSize(width: 20, height: 40))
    #expect(image.bitmap[10, 20] == (245, 235, 225, 255))
    #expect(image.bitmap[0, 0].alpha < 30)
    #expect(try await fixture.pipeline.response(for: request).origin == .memory)
  }

  @Test func `a parameter out of range fails the request with an error that names it`() async throws {
    let fixture = PipelineFixture.serving()
    let request = ImageRequest(url: fixture.url, processors: [.blur(radius: -3)])
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    guard case .processingFailed(let identifier, let cause, fixture.url) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(identifier == "halcyon.blur -3.0")
    #expect(cause as? ImageProcessingError == .invalidParameter("blur radius", value: -3, allowed: 0...1000))
  }
}
