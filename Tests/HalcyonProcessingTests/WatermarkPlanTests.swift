import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonProcessing

@Suite(.unitTest)
struct WatermarkPlanTests {
  private func bitmap(_ width: Int, _ height: Int, _ color: UInt8) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : color }
    }
  }

  private func watermark(x: Double = 0, y: Double = 0, scale: Double = 0) -> ProcessingOptions.Watermark {
    ProcessingOptions.Watermark(opacity: 1, gravity: Gravity(.center, x: x, y: y), isRepeated: true, scale: scale)
  }

  private func processor(_ mark: Bitmap, _ watermark: ProcessingOptions.Watermark) -> WatermarkProcessor {
    WatermarkProcessor(
      mark, at: .gravity(watermark.gravity, scale: 1), opacity: watermark.opacity,
      share: watermark.scale > 0 ? watermark.scale : nil, isRepeated: watermark.isRepeated)
  }

  @Test func `repeated marks have a distance of at least eight pixels`() throws {
    let processor = self.processor(try bitmap(1, 1, 255), watermark(y: 11))
    let result = try processor.process(bitmap(20, 26, 0))
    let marks = (0..<20 * 26).filter { result[$0 % 20, $0 / 20].red == 255 }.map { [$0 % 20, $0 / 20] }
    #expect(marks == [[1, 0], [9, 0], [17, 0], [1, 12], [9, 12], [17, 12], [1, 24], [9, 24], [17, 24]])
  }

  @Test func `hundreds of thousands of marks are drawn into one copy of the image`() throws {
    let processor = self.processor(try bitmap(100, 100, 255), watermark(scale: 1e-300))
    let result = try processor.process(bitmap(4000, 4000, 0))
    #expect(result[3991, 3991].red == 255 && result[3992, 3992].red == 0)
  }

  @Test(arguments: [
    // Tiles begin at the one in the centre, with half of the space on each side.
    (ProcessingOptions.Watermark(opacity: 1, isRepeated: true), "..##..##.."),
    (ProcessingOptions.Watermark(opacity: 1, gravity: Gravity(.northWest, x: -3)), "#........."),
    (ProcessingOptions.Watermark(opacity: 1, gravity: Gravity(.east, x: -3)), ".........#"),
    (ProcessingOptions.Watermark(opacity: 1, gravity: Gravity(.center)), "....####.."),
  ])
  func `marks tile from the centre, and may hang over the edges`(
    watermark: ProcessingOptions.Watermark, row: String
  ) throws {
    let size = watermark.isRepeated ? (8, 8) : (4, 4)
    let mark = try Bitmap(size: PixelSize(width: size.0, height: size.1), isOpaque: true) { bytes in
      for index in bytes.indices {
        let column = index / 4 % size.0
        bytes[index] = index % 4 == 3 || !watermark.isRepeated || (column + 1) / 2 % 2 == 1 ? 255 : 0
      }
    }
    let result = try processor(mark, watermark).process(bitmap(10, 8, 0))
    let middle = (0..<10).map { result[$0, watermark.gravity.kind == .northWest ? 0 : 4].red == 255 ? "#" : "." }
    #expect(middle.joined() == row)
  }

  /// The first and the last pixel of a mark of 4 by 4 pixels.
  @Test(arguments: [
    ("wm:1:nowe:5:3", (5, 3), (8, 6)), ("w:40/dpr:2/wm:1:nowe:5:3", (10, 6), (13, 9)),
    ("w:40/dpr:2/wm:1:soea:5:3", (66, 70), (69, 73)), ("w:300/dpr:2/wm:1:nowe:10:0", (10, 0), (13, 3)),
    ("w:50/wm:1:ce", (24, 24), (27, 27)), ("w:50/wm:1:soea:0:0:0.5", (25, 25), (49, 49)),
    ("w:50/pd:10/wm:1:nowe", (0, 0), (3, 3)),
  ]) func `a mark is placed on the result, by offsets that follow its density`(
    text: String, first: (Int, Int), last: (Int, Int)
  ) throws {
    let options = try OptionParser().options(text.split(separator: "/").map(String.init)).options
    let source = try bitmap(100, 100, 0)
    let plan = try ProcessingPlan(options, source: source.size, mark: try bitmap(4, 4, 255))
    let result = try plan.applied(to: source)
    let white = (0..<result.size.pixelCount).map { ($0 % result.size.width, $0 / result.size.width) }
      .filter { result[$0.0, $0.1].red > 250 }
    #expect(try #require(white.first) == first)
    #expect(try #require(white.last) == last)
  }

  @Test func `a mark that is larger than the image is centred on it`() throws {
    let mark = try Bitmap(size: PixelSize(width: 30, height: 30), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 || (13..<17).contains(index / 4 % 30) ? 255 : 0 }
    }
    let processor = self.processor(mark, ProcessingOptions.Watermark(opacity: 1))
    let result = try processor.process(bitmap(10, 10, 100))
    #expect((0..<10).map { result[$0, 5].red } == [0, 0, 0, 255, 255, 255, 255, 0, 0, 0])
  }

  @Test func `a mark that would be larger than any result is refused`() throws {
    var options = ProcessingOptions()
    options.watermark = ProcessingOptions.Watermark(opacity: 1, scale: 10)
    let (source, mark) = (PixelSize(width: 1000, height: 1000), try bitmap(10, 10, 255))
    #expect(throws: PlanError.watermarkTooLarge(PixelSize(width: 10_000, height: 10_000), sideLimit: 8192)) {
      try ProcessingPlan(options, source: source, mark: mark)
    }
    let plan = try ProcessingPlan(options, source: PixelSize(width: 800, height: 800), mark: mark)
    #expect(plan.processingByteCount >= 8000 * 8000 * 4)
  }
}
