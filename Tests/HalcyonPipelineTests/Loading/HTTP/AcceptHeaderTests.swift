import Foundation
import HalcyonHTTP
@_spi(Programs) import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// A decoder of all formats, and of one that the library does not know.
private struct AnyFormatDecoder: ImageDecoder {
  let formats = Set(ImageFormat.builtIn + [.custom("raw")])

  func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? { nil }

  func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    throw ImageDecodingError.truncated(.bmp)
  }
}

@Suite(.unitTest)
struct AcceptHeaderTests {
  @Test func `the Accept header lists the formats that are wanted and can be decoded`() {
    let transport = ScriptedTransport { _ in .failure(.cancelled) }
    let configuration = PipelineConfiguration(transport: transport, decoders: [SolidDecoder()])
    #expect(configuration.headers["Accept"] == "image/*;q=0.8,*/*;q=0.5")
    let all = PipelineConfiguration(transport: transport, decoders: [AnyFormatDecoder()])
    let types = "image/avif,image/webp,image/jxl,image/svg+xml,image/png,image/jpeg,image/gif,image/raw"
    #expect(all.headers["Accept"] == types + ",image/*;q=0.8,*/*;q=0.5")
    #expect(ImageFormat.builtIn.allSatisfy { $0.mediaType.hasPrefix("image/") })
  }
}
