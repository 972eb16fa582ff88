import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct BMPAlphaTests {
  private static let alphaMask: UInt32 = 0xFF00_0000

  @Test(arguments: [124, 108]) func `alpha that a header names applies, also without bit fields`(headerSize: Int) throws
  {
    let file = bitmap([[9, 20, 30, 128], [1, 2, 3, 0]], headerSize: headerSize, alphaMask: Self.alphaMask)
    let image = try BMPDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap[0, 0] == (15, 10, 5, 128) && image.bitmap[1, 0] == (0, 0, 0, 0))
    #expect(image.info.hasAlpha && !image.bitmap.isOpaque)
  }

  @Test func `without a mask in the header the fourth byte means nothing`() throws {
    let pixels: [[UInt8]] = [[9, 20, 30, 128], [1, 2, 3, 0]]
    for file in [bitmap(pixels, headerSize: 124, alphaMask: 0), bitmap(pixels, headerSize: 40, alphaMask: 0)] {
      let image = try BMPDecoder().decode(file, options: DecodingOptions())
      #expect(image.bitmap[0, 0] == (30, 20, 9, 255) && image.bitmap[1, 0] == (3, 2, 1, 255))
      #expect(image.bitmap.isOpaque)
    }
  }

  @Test(arguments: [0, 3]) func `a bitmap whose alpha is 0 everywhere is opaque`(compression: UInt32) throws {
    let pixels: [[UInt8]] = [[9, 20, 30, 0], [1, 2, 3, 0]]
    let file = bitmap(pixels, headerSize: 124, alphaMask: Self.alphaMask, compression: compression)
    let bitmap = try BMPDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(bitmap[0, 0] == (30, 20, 9, 255) && bitmap[1, 0] == (3, 2, 1, 255) && bitmap.isOpaque)
  }

  /// A file with one row of pixels of blue, green, red and the fourth byte.
  private func bitmap(
    _ pixels: [[UInt8]], headerSize: Int, alphaMask: UInt32, compression: UInt32 = 0
  ) -> Data {
    var file = Data(count: 14 + headerSize)
    func write(_ value: UInt32, at offset: Int) {
      withUnsafeBytes(of: value.littleEndian) { file.replaceSubrange(offset..<offset + 4, with: $0) }
    }
    file.replaceSubrange(0..<2, with: Data("BM".utf8))
    write(UInt32(file.count), at: 10)
    write(UInt32(headerSize), at: 14)
    write(UInt32(pixels.count), at: 18)
    write(1, at: 22)
    write(1 | 32 << 16, at: 26)
    write(compression, at: 30)
    if headerSize > 40 {
      for (index, mask) in [0xFF_0000, 0xFF00, 0xFF, alphaMask].enumerated() { write(mask, at: 54 + index * 4) }
    }
    return file + Data(pixels.joined())
  }
}
