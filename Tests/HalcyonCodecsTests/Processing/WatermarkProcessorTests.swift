import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct WatermarkProcessorTests {
  @Test func `marks that are drawn otherwise have other identifiers`() throws {
    let mark = try Bitmap.gradient(4, 2)
    let processors: [BuiltInProcessor] = [
      .watermark(mark), .watermark(mark, at: .left), .watermark(mark, inset: 1), .watermark(mark, blendMode: .multiply),
      .watermark(mark, scale: 0.5), .watermark(mark, scale: 0.25), .watermark(mark, isRepeated: true),
    ]
    #expect(Set(processors.map(\.identifier)).count == processors.count)
  }
}
