import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct DetailProcessorTests {
  @Test func `pixelation fills each block with its mean, also partial blocks at the edge`() throws {
    let bitmap = try Bitmap(grays: [0, 10, 20, 40, 7])
    #expect(try BuiltInProcessor.pixelate(blockSize: 2).process(bitmap).reds == [5, 5, 30, 30, 7])
    #expect(try BuiltInProcessor.pixelate(blockSize: 100).process(bitmap).reds == [15, 15, 15, 15, 15])
  }

  @Test func `sharpening strengthens edges and leaves flat areas unchanged`() throws {
    let step = try Bitmap(grays: (0..<20).map { $0 < 10 ? 100 : 150 })
    let sharper = try BuiltInProcessor.sharpen(amount: 1, radius: 1).process(step).reds
    #expect(sharper[9] < 100 && sharper[10] > 150)
    #expect(sharper[0] == 100 && sharper[19] == 150)
  }

  @Test func `a closure receives the image, and its errors are thrown`() throws {
    struct Rejected: Error {}
    let bitmap = try Bitmap(grays: [1, 2])
    let processor = BuiltInProcessor.custom(identifier: "mirror") { try BuiltInProcessor.flip(.horizontal).process($0) }
    #expect(try processor.process(bitmap).reds == [2, 1])
    #expect(throws: Rejected.self) {
      try BuiltInProcessor.custom(identifier: "none") { _ in throw Rejected() }.process(bitmap)
    }
  }
}
