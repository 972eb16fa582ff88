import Foundation
import HalcyonImaging
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// When the first bytes of an image are looked at.
@Suite(.unitTest)
struct ImageInspectorTests {
  /// A decoder that knows an image from its hundredth byte on, and records how many bytes it looks at.
  private struct LateDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.bmp]
    let counts = EventLog<Int>()

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      counts.record(bytes.count)
      if bytes.count < 100, !isComplete { return nil }
      return ImageInfo(format: .bmp, storedSize: PixelSize(width: bytes.count, height: 1))
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      throw ImageDecodingError.truncated(.bmp)
    }
  }

  private struct VectorDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.svg]
    let size: PixelSize

    func probe(_ bytes: Data, isComplete: Bool) -> ImageInfo? { ImageInfo(format: .svg, storedSize: size) }
    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      throw ImageDecodingError.truncated(.svg)
    }
  }

  private func inspector(_ decoder: some ImageDecoder, limits: ImageLimits = ImageLimits()) -> ImageInspector {
    ImageInspector(decoders: DecoderTable([decoder]), limits: limits, url: URL(filePath: "/a"), contentType: "a/b")
  }

  private let bytes = Data("BM".utf8) + Data(count: 300)

  @Test func `bytes are looked at again when they have doubled, and no more once the image is known`() throws {
    let decoder = LateDecoder()
    var inspector = inspector(decoder)
    for count in [20, 30, 63, 64, 65, 127, 128, 200, 300] { try inspector.inspect(bytes.prefix(count), isWhole: false) }
    #expect(decoder.counts.events == [20, 64, 128])
    #expect(inspector.info?.storedSize.width == 128)
    #expect(try inspector.info(of: bytes.prefix(128)).storedSize.width == 128)
    #expect(decoder.counts.events == [20, 64, 128, 128])
  }

  @Test func `the whole image is looked at once, however few bytes it has`() throws {
    let decoder = LateDecoder()
    var inspector = inspector(decoder)
    try inspector.inspect(bytes.prefix(50), isWhole: false)
    try inspector.inspect(bytes.prefix(51), isWhole: true)
    #expect(try inspector.info(of: bytes.prefix(51)).storedSize.width == 51)
    #expect(decoder.counts.events == [50, 51])
    #expect(try inspector.info(of: bytes.prefix(52)).storedSize.width == 52)
  }

  @Test func `a drawing may be larger than the limits, which apply to the pixels that it gets`() throws {
    let size = PixelSize(width: 1_000_000, height: 1_000_000)
    let drawing = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
    var inspector = inspector(VectorDecoder(size: size), limits: ImageLimits(pixelCount: 100))
    try inspector.inspect(drawing, isWhole: true)
    #expect(inspector.info?.storedSize == size)
  }

  @Test func `an image over the limits is an error, and bytes of no image as soon as that is known`() throws {
    var small = inspector(LateDecoder(), limits: ImageLimits(pixelCount: 127))
    let error = #expect(throws: ImageError.self) { try small.inspect(bytes.prefix(128), isWhole: false) }
    #expect(error?.name == "decoding")
    var other = inspector(LateDecoder())
    try other.inspect(Data("a".utf8), isWhole: false)
    for (prefix, isWhole) in [(Data(count: 20_000), false), (Data("a".utf8), true)] {
      var other = inspector(LateDecoder())
      let error = #expect(throws: ImageError.self) { try other.inspect(prefix, isWhole: isWhole) }
      #expect(error?.name == "notAnImage")
    }
    #expect(throws: ImageError.self) { try other.info(of: Data("a".utf8)) }
  }
}
