@_spi(Programs) import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ContactSheetTests {
  private static func bitmap(_ size: PixelSize, _ pixel: [UInt8]) throws -> Bitmap {
    try Bitmap(size: size, isOpaque: pixel[3] == 255) { bytes in
      for index in bytes.indices { bytes[index] = pixel[index % 4] }
    }
  }

  @Test func `images are in the middle of cells, and transparent ones over the background`() throws {
    let wide = try Self.bitmap(PixelSize(width: 4, height: 2), [255, 0, 0, 255])
    let high = try Self.bitmap(PixelSize(width: 2, height: 4), [0, 100, 0, 128])
    var sheet = ContactSheet([wide, high, wide], columns: 2)
    (sheet.gap, sheet.background) = (1, PixelColor(red: 0, green: 0, blue: 200))
    let bitmap = try sheet.draw()
    #expect(bitmap.size == sheet.size && bitmap.size == PixelSize(width: 11, height: 11))
    #expect(bitmap[1, 2] == PixelColor(red: 255, green: 0, blue: 0))
    #expect(bitmap[1, 1] == sheet.background && bitmap[6, 1] == sheet.background)
    #expect(bitmap[7, 1] == PixelColor(red: 0, green: 100, blue: 100))
    #expect(bitmap[4, 8] == PixelColor(red: 255, green: 0, blue: 0) && bitmap[8, 8] == sheet.background)
  }
}
