import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct WatermarkTests {
  @Test(
    arguments: [
      (CropAnchor.left, 0, [9, 2, 3, 4, 5]), (.center, 0, [1, 2, 9, 4, 5]), (.right, 0, [1, 2, 3, 4, 9]),
    ] as [(CropAnchor, Int, [UInt8])])
  func `the watermark is drawn at its anchor`(_ anchor: CropAnchor, _ inset: Int, _ expected: [UInt8]) throws {
    let processor = try BuiltInProcessor.watermark(Bitmap(grays: [9]), at: anchor, inset: inset)
    #expect(try processor.process(Bitmap(grays: [1, 2, 3, 4, 5])).reds == expected)
  }

  @Test func `the inset keeps the watermark away from the edges`() throws {
    let black = Pixel(0, 0, 0, 255)
    let image = try Bitmap(rows: Array(repeating: Array(repeating: black, count: 4), count: 3))
    let rows = try BuiltInProcessor.watermark(Bitmap(grays: [9]), inset: 1).process(image).rows
    #expect(rows.joined().filter { $0.x == 9 }.count == 1)
    #expect(rows[1][2].x == 9)
  }

  @Test func `a watermark larger than the image is clipped`() throws {
    let processor = try BuiltInProcessor.watermark(Bitmap(grays: [1, 2, 3, 4]), at: .center)
    #expect(try processor.process(Bitmap(grays: [9, 9])).reds == [2, 3])
    let outside = try BuiltInProcessor.watermark(Bitmap(grays: [1]), at: .left, inset: 100_000)
    #expect(try outside.process(Bitmap(grays: [9, 9])).reds == [9, 9])
  }

  @Test func `opacity blends the watermark with the image`() throws {
    let image = try Bitmap(grays: [0])
    #expect(try BuiltInProcessor.watermark(Bitmap(grays: [255]), opacity: 0.2).process(image).reds == [51])
    #expect(try BuiltInProcessor.watermark(Bitmap(grays: [255]), opacity: 0).process(image).reds == [0])
  }

  @Test func `the identifier depends on the pixels and the options`() throws {
    let mark = try BuiltInProcessor.watermark(Bitmap(grays: [1, 2])).identifier
    #expect(try BuiltInProcessor.watermark(Bitmap(grays: [1, 2])).identifier == mark)
    #expect(try BuiltInProcessor.watermark(Bitmap(grays: [1, 3])).identifier != mark)
    #expect(
      try BuiltInProcessor.watermark(Bitmap(rows: Bitmap(grays: [1, 2]).rows[0].map { [$0] })).identifier != mark)
    #expect(try BuiltInProcessor.watermark(Bitmap(grays: [1, 2]), opacity: 0.5).identifier != mark)
  }

  @Test(arguments: [(-1, 1.0), (100_001, 1), (0, -0.1), (0, 1.1), (0, .nan), (.min, 1)] as [(Int, Double)])
  func `an inset or an opacity out of range is an error`(_ inset: Int, _ opacity: Double) throws {
    let processor = try BuiltInProcessor.watermark(Bitmap(grays: [1]), inset: inset, opacity: opacity)
    let image = try Bitmap(grays: [9])
    #expect(throws: ImageProcessingError.self) { try processor.process(image) }
  }

  @Test func `the input image stays unchanged`() throws {
    let image = try Bitmap(grays: [9, 9])
    let marked = try BuiltInProcessor.watermark(Bitmap(grays: [1])).process(image)
    #expect(marked.reds == [9, 1])
    #expect(image.reds == [9, 9])
  }
}
