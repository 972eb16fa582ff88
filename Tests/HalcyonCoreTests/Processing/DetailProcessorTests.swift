import HalcyonImaging
import Testing

struct DetailProcessorTests {
  @Test func `squares get their mean, smaller ones at the edge too`() throws {
    let bitmap = try Bitmap(grays: [0, 10, 20, 40, 7])
    #expect(try PixelateProcessor(blockSize: 2).process(bitmap).reds == [5, 5, 30, 30, 7])
    #expect(try PixelateProcessor(blockSize: 100).process(bitmap).reds == [15, 15, 15, 15, 15])
  }

  @Test func `sharpening strengthens an edge and leaves plain parts`() throws {
    let step = try Bitmap(grays: (0..<20).map { $0 < 10 ? 100 : 150 })
    let sharper = try SharpenProcessor(amount: 1, radius: 1).process(step).reds
    #expect(sharper[9] < 100 && sharper[10] > 150)
    #expect(sharper[0] == 100 && sharper[19] == 150)
  }

  @Test func `a function gets the image, and its errors come out`() throws {
    struct Refused: Error {}
    let bitmap = try Bitmap(grays: [1, 2])
    let processor = ClosureProcessor(identifier: "mirror") { try FlipProcessor(.horizontal).process($0) }
    #expect(try processor.process(bitmap).reds == [2, 1])
    #expect(throws: Refused.self) {
      try ClosureProcessor(identifier: "none") { _ in throw Refused() }.process(bitmap)
    }
  }
}
