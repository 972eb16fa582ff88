import Foundation
import Halcyon
import TestTraits
import Testing

@Suite(.unitTest)
struct SupportedFormatsTests {
  private struct StillGIFDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.gif]

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? { nil }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      throw ImageDecodingError.unsupportedFormat(.gif)
    }
  }

  @Test func `a pipeline lists its readable, animated and writable formats, by the first decoder of each`() {
    var configuration = PipelineConfiguration.standard(cache: ImageCache(disk: nil))
    let standard = ImagePipeline(configuration: configuration).supportedFormats
    #expect(standard.readable.isSuperset(of: [.jpeg, .png, .gif, .webp, .bmp, .tiff]))
    #expect(standard.animated.isSuperset(of: [.gif, .webp]) && !standard.animated.contains(.jpeg))
    #expect(standard.writable.isSuperset(of: [.jpeg, .png]))
    configuration.decoders.insert(StillGIFDecoder(), at: 0)
    configuration.encoders = []
    let changed = ImagePipeline(configuration: configuration).supportedFormats
    #expect(changed.readable == standard.readable)
    #expect(changed.animated == standard.animated.subtracting([.gif]))
    #expect(changed.writable.isEmpty)
  }
}
