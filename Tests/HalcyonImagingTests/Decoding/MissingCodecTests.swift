import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct MissingCodecTests {
  @Test(arguments: [
    (ImageFormat.avif, "AVIF", "libavif-dev"), (.heic, "HEIF", "libheif-dev"), (.jpegXL, "JXL", "libjxl-dev"),
    (.svg, "SVG", "librsvg2-dev"),
  ])
  func `a missing decoder names the trait and the Debian package`(
    _ format: ImageFormat, _ trait: String, _ package: String
  ) {
    let message = ImageDecodingError.unsupportedFormat(format).description
    #expect(message.contains("Build with the package trait \(trait) (Debian: \(package))"))
  }

  @Test func `a trait is suggested only if one adds the format`() {
    #expect(ImageEncodingError.unsupportedFormat(.avif).description.contains("trait AVIF (Debian: libavif-dev)"))
    #expect(!ImageEncodingError.unsupportedFormat(.heic).description.contains("trait"))
    #expect(!ImageDecodingError.unsupportedFormat(.bmp).description.contains("trait"))
  }
}
