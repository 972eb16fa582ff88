import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct UnsupportedFormatTests {
  @Test(arguments: [
    (ImageFormat.avif, "AVIF", "libavif-dev"), (.heic, "HEIF", "libheif-dev"), (.jpegXL, "JXL", "libjxl-dev"),
    (.svg, "SVG", "librsvg2-dev"),
  ])
  func `the error for a format that is not built in names its trait and package`(
    _ format: ImageFormat, _ trait: String, _ package: String
  ) {
    let description = ImageDecodingError.unsupportedFormat(format).description
    #expect(description.contains("trait \(trait)") && description.contains(package))
  }
}
