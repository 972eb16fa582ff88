import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct CropProcessorTests {
  @Test func `a rectangle is cropped at its position`() throws {
    let bitmap = try Bitmap.noise(width: 5, height: 4)
    let part = try BuiltInProcessor.crop(x: 1, y: 2, width: 3, height: 2).process(bitmap)
    #expect(part.rows == bitmap.rows[2...3].map { Array($0[1...3]) })
  }

  @Test func `a rectangle is clipped to the image`() throws {
    let bitmap = try Bitmap(grays: [1, 2, 3])
    #expect(try BuiltInProcessor.crop(x: -2, y: -1, width: 3, height: 9).process(bitmap).reds == [1])
    #expect(try BuiltInProcessor.crop(x: 1, y: 0, width: .max, height: .max).process(bitmap).reds == [2, 3])
  }

  @Test(arguments: [(CropAnchor.left, [1, 2]), (.center, [3, 4]), (.right, [5, 6])] as [(CropAnchor, [UInt8])])
  func `a crop keeps the part at its anchor`(_ anchor: CropAnchor, _ expected: [UInt8]) throws {
    let bitmap = try Bitmap(grays: [1, 2, 3, 4, 5, 6])
    #expect(try BuiltInProcessor.crop(width: 2, height: 7, anchor: anchor).process(bitmap).reds == expected)
  }

  @Test func `a rectangle outside the image is an error that names the image size`() throws {
    let bitmap = try Bitmap(grays: [1, 2, 3])
    #expect(throws: ImageProcessingError.emptyCrop(PixelSize(width: 3, height: 1))) {
      try BuiltInProcessor.crop(x: 3, y: 0, width: 1, height: 1).process(bitmap)
    }
  }
}
