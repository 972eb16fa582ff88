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

  @Test(arguments: [(124, 0), (124, 3), (108, 0), (108, 3), (56, 3)])
  func `alpha that a long header names is meant, also where it is 0 everywhere`(
    headerSize: Int, compression: UInt32
  ) throws {
    let pixels: [[UInt8]] = [[9, 20, 30, 0], [1, 2, 3, 0]]
    let file = bitmap(pixels, headerSize: headerSize, alphaMask: Self.alphaMask, compression: compression)
    let bitmap = try BMPDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(bitmap[0, 0] == (0, 0, 0, 0) && bitmap[1, 0] == (0, 0, 0, 0) && !bitmap.isOpaque)
  }

  @Test func `with the shortest header, alpha that is 0 everywhere has been left out`() throws {
    for alpha in [UInt8(0), 255] {
      let pixels: [[UInt8]] = [[9, 20, 30, 0], [1, 2, 3, alpha]]
      let file = bitmap(pixels, headerSize: 40, alphaMask: Self.alphaMask, compression: 6)
      let bitmap = try BMPDecoder().decode(file, options: DecodingOptions()).bitmap
      #expect(bitmap[1, 0] == (3, 2, 1, 255) && bitmap[0, 0].alpha == (alpha == 0 ? 255 : 0))
    }
  }

  /// A file with one row of pixels of blue, green, red and the fourth byte.
  private func bitmap(
    _ pixels: [[UInt8]], headerSize: Int, alphaMask: UInt32, compression: UInt32 = 0
  ) -> Data {
    // The shortest header is followed by the masks.
    let hasMasksAfterIt = headerSize == 40 && compression == 6
    var file = Data(count: 14 + headerSize + (hasMasksAfterIt ? 16 : 0))
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
    if headerSize > 40 || hasMasksAfterIt {
      for (index, mask) in [0xFF_0000, 0xFF00, 0xFF, alphaMask].enumerated() { write(mask, at: 54 + index * 4) }
    }
    return file + Data(pixels.joined())
  }
}
