import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest) struct ImageDescriptionTests {
  private let bitmap: Bitmap

  init() throws { bitmap = try Bitmap(size: PixelSize(width: 64, height: 48), isOpaque: true) { _ in } }

  @Test func `image properties print the format, the upright size and what is unusual`() {
    var info = ImageInfo(format: .jpeg, storedSize: PixelSize(width: 4000, height: 3000))
    #expect(info.description == "jpeg 4000x3000")
    (info.orientation, info.colorModel, info.hasColorProfile) = (.right, .cmyk, true)
    #expect(info.description == "jpeg 3000x4000, cmyk, stored as 4000x3000, ICC profile")
    var animation = ImageInfo(format: .gif, storedSize: PixelSize(width: 8, height: 8), hasAlpha: true, frameCount: 12)
    animation.droppedContent = [.pages, .gainMap]
    #expect(animation.description == "gif 8x8, 12 frames, alpha, without gainMap, pages")
  }

  @Test func `formats and dropped content print their names in collections`() {
    #expect("\([ImageFormat.jpegXL, .custom("qoi")])" == "[jxl, qoi]")
    #expect("\([DroppedContent.gainMap])" == "[gainMap]")
  }

  @Test func `bitmaps and images print their sizes`() {
    #expect(bitmap.description == "64x48, opaque, 12288 bytes")
    let info = ImageInfo(format: .png, storedSize: PixelSize(width: 640, height: 480))
    #expect(DecodedImage(bitmap: bitmap, info: info).description == "64x48 of png 640x480")
    #expect(DecodedImage(bitmap: bitmap, info: info, isPartial: true).description == "64x48 of png 640x480, partial")
  }
}
