import Foundation
import HalcyonImaging
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PNGEncoderTests {
  @Test(arguments: [(1, 1), (40, 30), (3, 200)])
  func `an opaque image round-trips exactly`(_ width: Int, _ height: Int) throws {
    let original = try Bitmap.gradient(width, height)
    let file = try PNGEncoder().encode(original, options: EncodingOptions())
    let image = try PNGDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: original) == 0)
    #expect(!image.info.hasAlpha)
  }

  @Test func `a transparent image round-trips exactly`() throws {
    let original = try Bitmap.painted(256, 64, isOpaque: false) { column, row in
      Color(column * row / 63, column, column / 2, column)
    }
    let file = try PNGEncoder().encode(original, options: EncodingOptions())
    let image = try PNGDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: original) == 0)
    #expect(image.info.hasAlpha)
  }

  #if !IMAGEIO
  @Test(arguments: [(1, 1), (2, 3), (5, 1), (8, 8), (41, 30)])
  func `an interlaced image round-trips exactly`(_ width: Int, _ height: Int) throws {
    for isOpaque in [true, false] {
      let original = try Bitmap.painted(width, height, isOpaque: isOpaque) { column, row in
        Color(column, row, 7, isOpaque ? 255 : 100 + column)
      }
      let file = try PNGEncoder(isInterlaced: true).encode(original, options: EncodingOptions())
      #expect(try PNGDecoder().metadata(of: file).isProgressive)
      let image = try PNGDecoder().decode(file, options: DecodingOptions())
      #expect(image.bitmap.largestDifference(to: original) <= (isOpaque ? 0 : 1))
    }
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)], [false, true])
  func `a colour table has as few bits as its colours need, and loses none of them`(
    _ colors: (count: Int, bits: Int), isInterlaced: Bool
  ) throws {
    // Widths that do not fill the last byte of a row.
    let original = try Bitmap.painted(67, 41, isOpaque: colors.count < 3) { column, row in
      let number = (column * 7 + row * row) % colors.count
      // The second colour of many is transparent, and the third translucent.
      if colors.count > 2, number < 2 { return number == 0 ? .zero : Color(60, 0, 30, 120) }
      return Color(number, 255 - number, number * 37 % 256, 255)
    }
    let file = try PNGEncoder(isInterlaced: isInterlaced).encode(original, options: options(256))
    let (depth, indexed) = (file[file.startIndex + 24], file[file.startIndex + 25] == 3)
    #expect(Int(depth) == colors.bits && indexed)
    let image = try PNGDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: original) <= 1)
    #expect(image.info.hasAlpha == (colors.count > 2))
  }

  private func options(_ colorLimit: Int) -> EncodingOptions {
    var options = EncodingOptions()
    options.colorLimit = colorLimit
    return options
  }

  @Test(arguments: [(2, 40.0, 20.0), (16, 13, 4), (64, 7, 2), (256, 4, 1.5)])
  func `a photograph has at most as many colours as the limit, and keeps its tones by dithering`(
    _ colorLimit: Int, _ difference: Double, _ averaged: Double
  ) throws {
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let file = try PNGEncoder().encode(original, options: options(colorLimit))
    #expect(try file.count * 2 < PNGEncoder().encode(original, options: EncodingOptions()).count)
    let image = try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(image.colorCount <= colorLimit)
    #expect(
      image.difference(toAveraged: original, geometry: TargetSize.original.geometry(for: image.size)) < difference)
    let options = DecodingOptions(size: .fit(width: 25, height: 25))
    let small = try PNGDecoder().decode(file, options: options).bitmap
    let expected = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: options).bitmap
    #expect(small.difference(toAveraged: expected, geometry: TargetSize.original.geometry(for: small.size)) < averaged)
  }

  @Test func `a drawing of some hundred similar colours gets a full table`() throws {
    let original = try Bitmap.painted(64, 64) { column, row in Color(100 + column / 2, 100 + row / 2, 100, 255) }
    let file = try PNGEncoder().encode(original, options: options(256))
    let image = try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect((200...256).contains(image.colorCount))
    #expect(image.largestDifference(to: original) <= 4)
  }

  @Test(arguments: [2, 16, 256])
  func `quantisation keeps transparent and opaque pixels so, and shadows smooth`(_ colorLimit: Int) throws {
    let original = try Bitmap.painted(96, 64, isOpaque: false) { column, row in
      let alpha = min(max((column - 8) * 4, 0), 255)
      return Color(row * 4 * alpha / 255, column * alpha / 255, 40 * alpha / 255, alpha)
    }
    let file = try PNGEncoder().encode(original, options: options(colorLimit))
    let image = try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(image.colorCount <= colorLimit)
    for row in 0..<64 {
      #expect((0...8).allSatisfy { image.color($0, row) == .zero })
      #expect(colorLimit == 2 || (72..<96).allSatisfy { image.color($0, row).w == 255 })
    }
    guard colorLimit == 256 else { return }
    #expect(image.difference(toAveraged: original, geometry: TargetSize.original.geometry(for: image.size)) < 6)
  }
  #endif
}
