import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct TargetSizeDecodingTests {
  private static let names = [
    "jpeg/peacock.default.jpeg", "jpeg/peacock.progressive.jpeg", "jpeg/peacock.grayscale.jpeg", Fixture.photo,
    "pngsuite/basi6a08.png",
  ]

  @Test(
    arguments: names,
    [
      TargetSize.fit(width: .max, height: .max), .fit(width: 1, height: .max), .fill(width: .max, height: 1),
      .fill(width: 1, height: .max), .fill(width: .max, height: .max), .fill(width: 9, height: 40, anchor: .right),
      .fill(width: 40, height: 1, anchor: .bottom), .exact(width: 200, height: 3), .exact(width: 1, height: 500),
      .exact(width: 301, height: 299), .exact(width: 1, height: 1),
    ])
  func `every target size gives its output size`(_ name: String, _ size: TargetSize) throws {
    let image = try decode(name, size: size)
    #expect(try image.size == DecodingOptions(size: size).outputSize(for: image.info.pixelSize))
  }

  @Test(arguments: names)
  func `an enlarged image averages back to the original`(_ name: String) throws {
    let original = try decode(name, size: .original).bitmap
    let exact = TargetSize.exact(width: original.size.width * 3, height: original.size.height * 3)
    let large = try decode(name, size: exact).bitmap
    let geometry = ResizeGeometry(
      window: TargetSize.original.geometry(for: large.size).window, outputSize: original.size)
    #expect(original.difference(toAveraged: large, geometry: geometry) < 4)
  }

  @Test(arguments: names)
  func `a crop at the edge has the pixels of the edge`(_ name: String) throws {
    let original = try decode(name, size: .original).bitmap
    let (width, height) = (original.size.width, original.size.height)
    let part = try decode(name, size: .fill(width: width / 2, height: height, anchor: .right)).bitmap
    let cut = try Bitmap.painted(width / 2, height, isOpaque: original.isOpaque) {
      original.color($0 + width - width / 2, $1)
    }
    #expect(part.difference(toAveraged: cut, geometry: TargetSize.original.geometry(for: cut.size)) < 2)
  }

  @Test(arguments: names)
  func `an enlargement over the limits is rejected`(_ name: String) {
    let wide = PixelSize(width: 20_000, height: 1)
    #expect(throws: ImageDecodingError.sideTooLong(wide, limit: 16_384)) {
      try decode(name, size: .exact(width: wide.width, height: wide.height))
    }
    let large = PixelSize(width: 16_000, height: 16_000)
    #expect(throws: ImageDecodingError.tooManyPixels(large, limit: 100_000_000)) {
      try decode(name, size: .exact(width: large.width, height: large.height))
    }
    let huge = PixelSize(width: .max, height: .max)
    #expect(throws: ImageDecodingError.sideTooLong(huge, limit: 16_384)) {
      try decode(name, size: .exact(width: huge.width, height: huge.height))
    }
  }

  private func decode(_ name: String, size: TargetSize) throws -> DecodedImage {
    let decoder: any ImageDecoder = name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
    return try decoder.decode(Fixture.data(name), options: DecodingOptions(size: size))
  }
}
