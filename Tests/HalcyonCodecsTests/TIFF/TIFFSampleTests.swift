#if !IMAGEIO
import Foundation
import HalcyonImaging
import TestTraits
import Testing

@testable import HalcyonCodecs

/// Layouts that libtiff does not convert to RGBA, or not well.
@Suite(.unitTest)
struct TIFFSampleTests {
  /// An uncompressed image of 16x16 pixels with the same samples everywhere, in one strip or tile.
  private func file(
    photometric: Int, bits: Int, pixel: [UInt8], extraSample: Int? = nil, palette: [UInt16]? = nil,
    isTiled: Bool = false
  ) -> Data {
    let count = pixel.count * 8 / bits
    let pixels = Data(Array(repeating: pixel, count: 256).joined())
    let depths = Data(Array(repeating: [UInt8(bits), 0], count: count).joined())
    let colors = Data((palette ?? []).map { [UInt8($0 & 255), UInt8($0 >> 8)] }.joined())
    // The directory comes first, the values that do not fit into it next, then the pixels.
    var entryCount = isTiled ? 10 : 9
    if extraSample != nil { entryCount += 1 }
    if palette != nil { entryCount += 1 }
    let depthStart = 8 + 2 + entryCount * 12 + 4
    let colorStart = depthStart + depths.count
    let pixelStart = colorStart + colors.count
    let depthValue = count > 2 ? depthStart : count == 2 ? bits | bits << 16 : bits
    var entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
      (256, 3, 1, 16), (257, 3, 1, 16), (258, 3, count, depthValue),
      (259, 3, 1, 1), (262, 3, 1, photometric), (277, 3, 1, count),
    ]
    if isTiled {
      entries += [(322, 3, 1, 16), (323, 3, 1, 16), (324, 4, 1, pixelStart), (325, 4, 1, pixels.count)]
    } else {
      entries += [(273, 4, 1, pixelStart), (278, 3, 1, 16), (279, 4, 1, pixels.count)]
    }
    if palette != nil { entries.append((320, 3, colors.count / 2, colorStart)) }
    if let extraSample { entries.append((338, 3, 1, extraSample)) }
    #expect(entries.count == entryCount)
    var data = Data("II*\0".utf8)
    data += bytes(8, 4)
    data += bytes(entries.count, 2)
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      data += bytes(entry.tag, 2)
      data += bytes(entry.type, 2)
      data += bytes(entry.count, 4)
      data += bytes(entry.value, 4)
    }
    data += bytes(0, 4)
    return data + depths + colors + pixels
  }

  private func bytes(_ value: Int, _ width: Int) -> Data { Data((0..<width).map { UInt8(value >> ($0 * 8) & 255) }) }

  /// The color of all pixels.
  private func color(_ file: Data) throws -> [UInt8] {
    let bitmap = try TIFFDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(bitmap.size == PixelSize(width: 16, height: 16))
    let pixels = bitmap.withUnsafeBytes { Array($0) }
    let first = Array(pixels.prefix(4))
    #expect(pixels == Array(Array(repeating: first, count: 256).joined()))
    return first
  }

  @Test(arguments: [(1, [100, 100, 100, 136]), (2, [53, 53, 53, 136])] as [(Int, [UInt8])])
  func `greys are multiplied by unassociated alpha`(extraSample: Int, expected: [UInt8]) throws {
    #expect(try color(file(photometric: 1, bits: 8, pixel: [100, 136], extraSample: extraSample)) == expected)
  }

  @Test func `a palette keeps its alpha`() throws {
    // All reds, then all greens, then all blues.
    var palette = [UInt16](repeating: 0, count: 768)
    (palette[7], palette[256 + 7], palette[512 + 7]) = (0xFFFF, 0x8000, 0)
    let file = file(photometric: 3, bits: 8, pixel: [7, 128], extraSample: 2, palette: palette)
    #expect(try color(file) == [128, 64, 0, 128])
  }

  @Test(arguments: [(8, [128, 0, 0]), (9, [128, 128, 128])] as [(Int, [UInt8])])
  func `a neutral colour of L*a*b* is grey`(photometric: Int, pixel: [UInt8]) throws {
    let color = try color(file(photometric: photometric, bits: 8, pixel: pixel))
    #expect((119...120).contains(color[0]) && Set(color.prefix(3)).count == 1 && color[3] == 255)
    let deep = try self.color(file(photometric: photometric, bits: 16, pixel: pixel.flatMap { [0, $0] }))
    #expect(deep == color)
  }

  @Test func `the axes of L*a*b* are green to red and blue to yellow`() {
    // sRGB's red, green and blue, adapted to D50.
    let colors = [(54.29, 80.81, 69.89), (87.82, -79.29, 80.99), (29.57, 68.30, -112.03), (100, 0, 0), (0, 0, 0)]
    let expected: [[Int]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0]]
    for (color, rgb) in zip(colors, expected) {
      let converted = LabColor(lightness: color.0, a: color.1, b: color.2).sRGB.map(Int.init)
      #expect(zip(converted, rgb).allSatisfy { abs($0 - $1) <= 2 }, "\(converted), not \(rgb)")
    }
  }

  @Test func `16 bits of CMYK without a profile are decoded as 8 bits are`() throws {
    let inks: [UInt8] = [200, 0, 50, 20]
    let deep = try color(file(photometric: 5, bits: 16, pixel: inks.flatMap { [0, $0] }))
    let plain = try color(file(photometric: 5, bits: 8, pixel: inks))
    #expect(zip(deep, plain).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(deep), \(plain)")
  }

  @Test func `uncompressed tiles of any size are decoded, and cut ones are truncated`() throws {
    let file = file(photometric: 1, bits: 8, pixel: [77], isTiled: true)
    #expect(try color(file) == [77, 77, 77, 255])
    #expect(throws: ImageDecodingError.truncated(.tiff)) { try color(file.dropLast(1)) }
  }

  @Test func `an error of libtiff has a reason`() throws {
    let file = try Fixture.data("tiff/wrong-fax.tiff")
    let error = #expect(throws: ImageDecodingError.self) {
      try TIFFDecoder().decode(file, options: DecodingOptions())
    }
    #expect(error.map { "\($0)" }?.contains("gives no reason") == true, "\(error.map { "\($0)" } ?? "")")
  }
}
#endif
