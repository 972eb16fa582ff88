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
    #expect(bitmap[1, 2] == (255, 0, 0, 255) && bitmap[4, 8] == (255, 0, 0, 255))
    for (x, y) in [(1, 1), (6, 1), (8, 8)] { #expect(bitmap[x, y] == (0, 0, 200, 255)) }
    #expect(bitmap[7, 1] == (0, 100, 100, 255))
    // No wider than its images.
    var row = ContactSheet([wide, high], columns: 9)
    row.gap = 1
    #expect(row.size == PixelSize(width: 11, height: 6))
  }
}
