import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@testable import HalcyonImaging

@Suite(.unitTest)
struct ColorSpaceTests {
  private func bitmap(_ colors: [PixelColor], in space: ColorSpace = .sRGB) throws -> Bitmap {
    let isOpaque = colors.allSatisfy { $0.alpha == 255 }
    return try Bitmap(
      size: PixelSize(width: colors.count, height: 1), isOpaque: isOpaque, colorSpace: space
    ) { bytes in
      for (index, color) in colors.enumerated() {
        let channels = [color.red, color.green, color.blue].map { UInt8((Int($0) * Int(color.alpha) + 127) / 255) }
        for (channel, value) in (channels + [color.alpha]).enumerated() { bytes[index * 4 + channel] = value }
      }
    }
  }

  private func color(_ bitmap: Bitmap, _ column: Int) -> [Int] {
    let pixel = bitmap[column, 0]
    return [pixel.red, pixel.green, pixel.blue, pixel.alpha].map(Int.init)
  }

  private static let red = PixelColor(red: 255, green: 0, blue: 0)

  /// Values of ColorSync and of CSS Color 4, section 10.
  @Test(
    arguments: [
      (PixelColor(red: 255, green: 0, blue: 0), [234, 51, 35]),
      (PixelColor(red: 0, green: 255, blue: 0), [117, 251, 76]),
      (PixelColor(red: 0, green: 0, blue: 255), [0, 0, 245]), (.white, [255, 255, 255]),
      (PixelColor(red: 120, green: 120, blue: 120), [120, 120, 120]),
    ] as [(PixelColor, [Int])])
  func `sRGB colours have known values in Display P3`(_ color: PixelColor, _ expected: [Int]) throws {
    let converted = color.converted(to: .displayP3)
    let channels = [converted.red, converted.green, converted.blue].map(Int.init)
    #expect(zip(channels, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(channels)")
    let pixel = try self.color(bitmap([color]).converted(to: .displayP3), 0)
    #expect(pixel == channels + [255])
    #expect(color.converted(to: .sRGB) == color)
  }

  /// The exact colours use the matrices of CSS Color 4, section 18.
  @Test func `each colour is within a level of the exact one`() throws {
    let toXYZ =
      [
        [608_311 / 1_250_200, 189_793 / 714_400, 198_249 / 1_000_160],
        [35_783 / 156_275, 247_089 / 357_200, 198_249 / 2_500_400],
        [0, 32_229 / 714_400, 5_220_557 / 5_000_800],
      ] as [[Double]]
    let fromXYZ =
      [
        [12_831 / 3_959, -329 / 214, -1_974 / 3_959], [-851_781 / 878_810, 1_648_619 / 878_810, 36_519 / 878_810],
        [705 / 12_673, -2_585 / 12_673, 705 / 667],
      ] as [[Double]]
    func product(_ matrix: [[Double]], _ color: [Double]) -> [Double] {
      matrix.map { $0[0] * color[0] + $0[1] * color[1] + $0[2] * color[2] }
    }
    let levels = ([0, 1, 2, 4, 7, 11, 17] + stride(from: 34, through: 255, by: 17)).map { UInt8($0) }
    let colors = levels.flatMap { red in
      levels.flatMap { green in levels.map { PixelColor(red: red, green: green, blue: $0) } }
    }
    let converted = try bitmap(colors, in: .displayP3).converted(to: .sRGB)
    for (index, wide) in colors.enumerated() {
      let light = [wide.red, wide.green, wide.blue].map { Self.light(Double($0) / 255) }
      let exact = product(fromXYZ, product(toXYZ, light)).map { 255 * Self.value(min(max($0, 0), 1)) }
      #expect(zip(color(converted, index), exact).allSatisfy { abs(Double($0) - $1) < 0.7 }, "\(wide)")
    }
  }

  private static func light(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func value(_ light: Double) -> Double {
    light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  @Test func `colours outside sRGB become the nearest ones`() throws {
    let wide = try bitmap([Self.red, PixelColor(red: 0, green: 255, blue: 0)], in: .displayP3)
    let converted = try wide.converted(to: .sRGB)
    #expect(converted.colorSpace == .sRGB && color(converted, 0) == [255, 0, 0, 255])
    #expect(color(converted, 1) == [0, 255, 0, 255])
    #expect(try wide.converted(to: .displayP3)[0, 0] == wide[0, 0])
  }

  /// Dark colours of a high saturation have few steps in Display P3.
  @Test func `a round trip keeps colours, but for rounding`() throws {
    let levels = stride(from: 0, through: 255, by: 17).map { UInt8($0) }
    let colors = levels.flatMap { red in
      levels.flatMap { green in levels.map { PixelColor(red: red, green: green, blue: $0) } }
    }
    let plain = try bitmap(colors)
    let back = try plain.converted(to: .displayP3).converted(to: .sRGB)
    let differences = colors.indices.flatMap { index in
      zip(color(plain, index), color(back, index)).map { abs($0 - $1) }
    }
    #expect(differences.max() ?? 99 <= 8)
    #expect(differences.reduce(0, +) * 2 < differences.count)
  }

  @Test func `alpha is kept, and no colour exceeds it`() throws {
    let clear = try bitmap([PixelColor(red: 255, green: 40, blue: 0, alpha: 100), .clear], in: .displayP3)
    let converted = try clear.converted(to: .sRGB)
    #expect(color(converted, 0)[3] == 100 && color(converted, 0)[0] == 100)
    #expect(color(converted, 1) == [0, 0, 0, 0])
  }

  @Test(
    arguments: [
      (.tint(red), 4), (.overlay(red), 4), (.border(width: 9, color: red), 4), (.circle(background: red), 0),
    ] as [(BuiltInProcessor, Int)])
  func `processors draw their colours in the space of the bitmap`(_ processor: BuiltInProcessor, _ place: Int) throws {
    let size = PixelSize(width: 9, height: 9)
    let wide = try Bitmap(size: size, isOpaque: true, colorSpace: .displayP3) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : 0 }
    }
    let result = try processor.process(wide)
    #expect(result.colorSpace == .displayP3)
    let pixel = result[place, place]
    #expect(abs(Int(pixel.red) - 234) <= 1 && abs(Int(pixel.green) - 51) <= 1, "\(pixel)")
  }

  @Test(
    arguments: [
      .rotate(degrees: 90), .rotate(degrees: 10), .flip(.horizontal), .blur(radius: 1), .crop(width: 2, height: 2),
      .pixelate(blockSize: 2), .invert, .exposure(stops: 1), .sharpen(radius: 1), .saturation(0.5),
    ] as [BuiltInProcessor])
  func `processors keep the colour space`(_ processor: BuiltInProcessor) throws {
    let wide = try Bitmap(size: PixelSize(width: 4, height: 4), isOpaque: true, colorSpace: .displayP3) { bytes in
      for index in bytes.indices { bytes[index] = 255 }
    }
    #expect(try processor.process(wide).colorSpace == .displayP3)
  }

  @Test func `a watermark is drawn in the space of the image`() throws {
    let mark = try bitmap([Self.red])
    let wide = try bitmap([.black, .black], in: .displayP3)
    let marked = try BuiltInProcessor.watermark(mark).process(wide)
    #expect(marked.colorSpace == .displayP3 && abs(color(marked, 1)[0] - 234) <= 1 && color(marked, 0)[0] == 0)
  }

  /// Red, green and blue as x and y, beside the white of sRGB.
  @Test(arguments: [
    ([0.64, 0.33, 0.30, 0.60, 0.15, 0.06], true), ([0.64, 0.33, 0.30, 0.60, 0.47, 0.465], false),
    ([0.3, 0.3, 0.3, 0.3, 0.3, 0.3], false), ([0.64, 0.33, 0.30, 0.60, 0.4701, 0.4651], false),
    ([0.64, 0.33, 0.30, 0.60, 0.48, 0.47], true), ([-0.1, 0.33, 0.30, 0.60, 0.15, 0.06], false),
    ([0.64, 0, 0.30, 0.60, 0.15, 0.06], false), ([0.7, 0.31, 0.30, 0.60, 0.15, 0.06], false),
    ([0, 1, 1, 0.000_001, 0, 0.000_001], false), ([0, 1, 0.999, 0.001, 0, 0.001], true),
    ([.nan, 0.33, 0.30, 0.60, 0.15, 0.06], false),
  ])
  func `primaries are in range, and not on one line`(_ numbers: [Double], _ isValid: Bool) {
    func point(_ index: Int) -> Chromaticities.Point { Chromaticities.Point(x: numbers[index], y: numbers[index + 1]) }
    let primaries = Chromaticities(
      white: Chromaticities.bt709.white, red: point(0), green: point(2), blue: point(4))
    #expect(primaries.isValid == isValid)
  }

  /// ITU-T H.273, table 2.
  @Test(
    arguments: [
      (0, nil), (1, 0.64), (2, 0.64), (3, nil), (4, nil), (5, 0.64), (6, 0.63), (7, 0.63), (8, nil), (9, 0.708),
      (10, nil),
      (11, 0.68), (12, 0.68), (22, nil),
    ] as [(Int, Double?)])
  func `codes of primaries are known`(_ code: Int, _ red: Double?) {
    let primaries = Chromaticities(cicp: code)
    #expect(primaries?.red.x == red)
    #expect(primaries == nil || (primaries?.white == Chromaticities.bt709.white) == (code != 11))
    #expect(code != 5 || primaries?.green.x == 0.29)
  }

  /// Half floats in linear light, multiplied by alpha, and the bytes that are nearest.
  @Test(
    arguments: [
      ([0, 0, 0, 0], [0, 0, 0, 0]), ([1, 0, 0.5, 1], [255, 0, 188, 255]), ([4, -1, 0.25, 1], [255, 0, 137, 255]),
      ([0.25, 0.125, 0, 0.25], [64, 47, 0, 64]), ([1, 1, 1, 0], [0, 0, 0, 0]), ([1, 0.5, 0, -1], [0, 0, 0, 0]),
      ([2, 1, 0, 2], [255, 188, 0, 255]), ([8, 0, 0, 0.25], [64, 0, 0, 64]),
    ] as [([Float], [Int])])
  func `a pixel of half floats has the bytes of its light`(_ light: [Float], _ expected: [Int]) throws {
    let bitmap = try Bitmap(size: PixelSize(width: 2, height: 1), isOpaque: false, dynamicRange: .high) { bytes in
      let pixel = HalfFloat.bits(SIMD4(light[0], light[1], light[2], light[3]))
      bytes.storeBytes(of: pixel, toByteOffset: 8, as: SIMD4<UInt16>.self)
    }
    #expect(color(bitmap, 1) == expected)
    #expect(color(bitmap, 0) == [0, 0, 0, 0])
    #expect(bitmap.hasTransparentPixel)
  }

  @Test func `the light that a file states is that of the brightest channel, also where that is blue`() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true, dynamicRange: .high) { bytes in
      bytes.storeBytes(of: HalfFloat.bits(SIMD4(0, 0, 3, 1)), as: SIMD4<UInt16>.self)
    }
    let light = try PerceptualSamples(bitmap).light
    // The blue of Display P3 has 98 % of its light in that of BT.2020.
    let peak = try #require(light.contentPeak)
    #expect(abs(peak - 0.984 * 3 * HighDynamicRange.referenceWhite) < 3, "\(peak)")
  }

  @Test func `a placeholder has the same colours from either space`() throws {
    let size = PixelSize(width: 20, height: 10)
    let plain = try Bitmap(size: size, isOpaque: true) { bytes in
      for index in bytes.indices {
        bytes[index] = index % 4 == 3 ? 255 : index % 4 == 0 ? 200 : UInt8(60 + index / 80 * 5)
      }
    }
    let shown = try ThumbHash(plain).bitmap()
    let wide = try ThumbHash(plain.converted(to: .displayP3)).bitmap()
    let largest = shown.withUnsafeBytes { one in
      wide.withUnsafeBytes { two in zip(one, two).map { abs(Int($0) - Int($1)) }.max() ?? 0 }
    }
    #expect(shown.size == wide.size && largest <= 12)
  }
}
