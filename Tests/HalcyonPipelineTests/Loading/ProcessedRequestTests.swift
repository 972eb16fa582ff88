import HalcyonImaging
import HalcyonPipeline
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Processors in requests.
@Suite(.unitTest)
struct ProcessedRequestTests {
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
