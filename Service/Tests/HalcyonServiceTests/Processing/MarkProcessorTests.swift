import Halcyon
@testable import HalcyonService
import TestTraits
import Testing

@Suite(.unitTest)
struct MarkProcessorTests {
  private func bitmap(_ width: Int, _ height: Int, _ color: UInt8) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : color }
    }
  }

  private func watermark(x: Double = 0, y: Double = 0, scale: Double = 0) -> ProcessingOptions.Watermark {
    ProcessingOptions.Watermark(opacity: 1, gravity: Gravity(.center, x: x, y: y), isRepeated: true, scale: scale)
  }

  @Test func `repeated marks have a distance of at least eight pixels`() throws {
    let processor = MarkProcessor(try bitmap(1, 1, 255), watermark(y: 11), dpr: 1)
    let result = try processor.process(bitmap(20, 26, 0))
    let marks = (0..<20 * 26).filter { result[$0 % 20, $0 / 20].red == 255 }.map { [$0 % 20, $0 / 20] }
    #expect(marks == [[0, 0], [8, 0], [16, 0], [0, 12], [8, 12], [16, 12], [0, 24], [8, 24], [16, 24]])
  }

  @Test func `hundreds of thousands of marks are drawn into one copy of the image`() throws {
    let processor = MarkProcessor(try bitmap(100, 100, 255), watermark(scale: 1e-300), dpr: 1)
    let result = try processor.process(bitmap(4000, 4000, 0))
    #expect(result[3992, 3992].red == 255 && result[3993, 3993].red == 0)
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
