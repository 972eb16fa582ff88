import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct OrientationTests {
  private static let sizes: [TargetSize] = [
    .original, .fit(width: 24, height: 24), .fit(width: 12, height: 100), .fill(width: 16, height: 16),
    .fill(width: 30, height: 8),
  ]

  @Test(arguments: ImageOrientation.allCases)
  func `probing a JPEG gives its upright size`(_ orientation: ImageOrientation) throws {
    let info = try #require(try JPEGDecoder().probe(jpeg(orientation), isComplete: true))
    #expect(info.orientation == orientation)
    #expect(info.storedSize == Mosaic.stored.size)
    #expect(info.pixelSize == Mosaic.upright(orientation).size)
  }

  @Test(arguments: ImageOrientation.allCases, sizes)
  func `a JPEG is decoded upright`(_ orientation: ImageOrientation, _ size: TargetSize) throws {
    let image = try JPEGDecoder().decode(jpeg(orientation), options: DecodingOptions(size: size))
    try expectUpright(image, orientation, size)
  }

  @Test(arguments: ImageOrientation.allCases, sizes)
  func `a PNG is decoded upright`(_ orientation: ImageOrientation, _ size: TargetSize) throws {
    let plain = try PNGEncoder().encode(Mosaic.stored.bitmap(), options: EncodingOptions())
    let file = FileSurgery.png(
      plain, inserting: "eXIf", FileSurgery.exif(orientation: orientation.rawValue))
    let image = try PNGDecoder().decode(file, options: DecodingOptions(size: size))
    try expectUpright(image, orientation, size)
  }

  @Test(arguments: [0, 9, 65_535])
  func `an invalid orientation is ignored`(_ value: Int) throws {
    let file = try FileSurgery.jpeg(jpeg(.up), orientation: value)
    #expect(try JPEGDecoder().probe(file, isComplete: true)?.orientation == .up)
  }

  @Test func `a rectangle of the upright image maps to the stored image`() {
    let size = PixelSize(width: 32, height: 48)
    let corner = PixelRectangle(x: 1, y: 2, width: 10, height: 5)
    let found = ImageOrientation.allCases.map { $0.storedRectangle(for: corner, storedSize: size) }
    #expect(
      found == [
        PixelRectangle(x: 1, y: 2, width: 10, height: 5), PixelRectangle(x: 21, y: 2, width: 10, height: 5),
        PixelRectangle(x: 21, y: 41, width: 10, height: 5), PixelRectangle(x: 1, y: 41, width: 10, height: 5),
        PixelRectangle(x: 2, y: 1, width: 5, height: 10), PixelRectangle(x: 2, y: 37, width: 5, height: 10),
        PixelRectangle(x: 25, y: 37, width: 5, height: 10), PixelRectangle(x: 25, y: 1, width: 5, height: 10),
      ])
  }

  private func jpeg(_ orientation: ImageOrientation) throws -> Data {
    let plain = try JPEGEncoder().encode(Mosaic.stored.bitmap(), options: EncodingOptions(quality: 1))
    return FileSurgery.jpeg(plain, orientation: orientation.rawValue)
  }

  private func expectUpright(_ image: DecodedImage, _ orientation: ImageOrientation, _ size: TargetSize) throws {
    let mosaic = Mosaic.upright(orientation)
    let geometry = size.geometry(for: mosaic.size)
    try #require(image.size == geometry.outputSize)
    #expect(mosaic.largestDifference(to: image.bitmap, window: geometry.window) < 40)
  }
}
