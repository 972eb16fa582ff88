import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import TestDoubles
import TestTraits
import Testing

@Suite(.unitTest)
struct AcceptHeaderTests {
  @Test func `the Accept header lists the formats that can be decoded`() {
    let transport = ScriptedTransport { _ in .failure(.cancelled) }
    let configuration = PipelineConfiguration(transport: transport, decoders: [SolidDecoder()])
    #expect(configuration.headers["Accept"] == "image/bmp,image/*;q=0.5,*/*;q=0.3")
    #expect(ImageFormat.builtIn.allSatisfy { $0.mediaType.hasPrefix("image/") })
  }
}
