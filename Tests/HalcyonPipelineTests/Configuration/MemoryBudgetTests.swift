import Foundation
import HalcyonImaging
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@_spi(Programs) @testable import HalcyonPipeline

@Suite(.unitTest)
struct MemoryBudgetTests {
  @Test func `reservations never exceed the limit, unless one alone does`() async throws {
    let budget = MemoryBudget(byteLimit: 100)
    let sum = Monitor((now: 0, most: 0))
    let ended = EventLog<Int>()
    for number in 0..<40 {
      Thread.detachNewThread {
        let size = number == 7 ? 250 : 10 + number
        budget.withReservation(size) {
          sum.update { state in
            state.now += size
            if size <= 100 { state.most = max(state.most, state.now) }
          }
          sum.update { $0.now -= size }
        }
        ended.record(number)
      }
    }
    try await ended.waitForEvents(count: 40)
    #expect(sum.read { $0.now } == 0)
    #expect(sum.read { $0.most } <= 100)
  }

  @Test func `reservations are granted in order, and those after one that is cancelled move up`() async throws {
    let budget = MemoryBudget(byteLimit: 100)
    try await budget.reserve(60)
    let large = Task { try await budget.reserve(90) }
    while budget.waitingCount < 1, !Task.isCancelled { await Task.yield() }
    let small = Task { try await budget.reserve(30) }
    while budget.waitingCount < 2, !Task.isCancelled { await Task.yield() }
    large.cancel()
    await #expect(throws: CancellationError.self) { try await large.value }
    try await small.value
    #expect(budget.waitingCount == 0)
    budget.release(60)
    try await budget.reserve(70)
  }

  @Test func `a task that is cancelled already reserves nothing`() async throws {
    let budget = MemoryBudget(byteLimit: 100)
    try await budget.reserve(100)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await budget.reserve(1)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    budget.release(100)
    try await budget.reserve(100)
  }

  /// The pixels of the file and of the bitmap, and the bytes over a megabyte.
  @Test(
    arguments: [
      (.jpeg, 1000, 1000, false, .standard, 8250), (.jpeg, 1000, 0, false, .standard, 250),
      (.jpeg, 1000, 1000, true, .standard, 12_000), (.jpeg, 1000, 1000, false, .high, 16_250),
      (.webp, 1000, 500, false, .standard, 8000), (.webp, 1000, 500, true, .standard, 8000),
      (.svg, 10, 1000, false, .standard, 15_000),
    ] as [(ImageFormat, Int, Int, Bool, DynamicRange, Int)])
  func `decoding takes the working memory of the format, and the bitmap twice`(
    format: ImageFormat, stored: Int, output: Int, isProgressive: Bool, range: DynamicRange, byteCount: Int
  ) {
    let info = ImageInfo(format: format, storedSize: PixelSize(width: stored, height: 1))
    let estimate = info.decodingByteCount(
      outputSize: PixelSize(width: output, height: 1), isProgressive: isProgressive, dynamicRange: range)
    #expect(estimate - 1 << 20 == byteCount)
  }

  private static let part = PixelArea(left: 0, top: 0, width: 10, height: 20)

  /// The frames of the file and of the result, and the bytes beyond those of a still image of the size.
  @Test(
    arguments: [
      (1, 2, nil, 0, 0), (3, 1, nil, 0, 0), (3, 2, nil, 0, 120_000), (3, 2, part, 0, 4800), (1, 1, part, 700, 700),
    ] as [(Int, Int, PixelArea?, Int, Int)])
  func `a rendition takes memory for its processors, and for each pixel of an animation`(
    frameCount: Int, frameLimit: Int, region: PixelArea?, processing: Int, more: Int
  ) {
    let info = ImageInfo(format: .gif, storedSize: PixelSize(width: 100, height: 50), frameCount: frameCount)
    var rendition = Rendition(region: region, encoding: Rendition.Encoding(as: .gif))
    (rendition.frameLimit, rendition.processingByteCount) = (frameLimit, processing)
    let byteCount = rendition.byteCount(of: Renderer.File(Data(), by: SolidDecoder()), info)
    #expect(byteCount == info.decodingByteCount(outputSize: region?.size ?? info.pixelSize) + more)
  }

  @Test func `an estimate of any size is a number of bytes`() {
    let info = ImageInfo(format: .jpegXL, storedSize: PixelSize(width: .max, height: .max))
    #expect(info.decodingByteCount(outputSize: PixelSize(width: .max, height: 1)) >= 1 << 60)
    let photo = ImageInfo(format: .jpeg, storedSize: PixelSize(width: 4000, height: 3000))
    let (small, whole) = (PixelSize(width: 400, height: 300), photo.pixelSize)
    #expect(photo.decodingByteCount(outputSize: small) < photo.decodingByteCount(outputSize: whole))
    #expect(
      photo.decodingByteCount(outputSize: small) < photo.decodingByteCount(outputSize: small, isProgressive: true))
  }
}
