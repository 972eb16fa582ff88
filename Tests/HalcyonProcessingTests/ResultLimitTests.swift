import HalcyonImaging
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonProcessing

/// Options that enlarge an image, beside options that remove a part of it.
@Suite(.unitTest)
struct ResultLimitTests {
  private static let source = PixelSize(width: 12, height: 10)
  private static let pixelLimit = 5000

  /// Each makes more pixels than the limit of the whole image, but for the last two, which do so without its borders.
  private static let enlarging = [
    "rs:force:100:100:1", "rs:fit:100:100:1", "rs:fill:100:100:1", "rs:fill-down:100:100:1", "rs:auto:100:100:1",
    "w:100/el:1", "h:100/el:1", "w:10/el:1/dpr:10", "z:10/el:1", "mw:100", "mh:100", "rs:fit:100:100:0:1",
    "w:1000/h:100/mw:60/exar:1", "pd:40", "w:12/pd:10/dpr:10/el:1", "w:60/el:1", "rs:fit:70:2000:1",
  ]
  private static let removing = [
    "", "t:0", "t:10", "t:10::1:1", "c:4:9", "c:4:9:sm", "c:0.5:0.5:sm", "g:sm", "c:4:9/g:sm", "t:10/c:4:9:sm",
    "t:10/c:4:9", "t:10/g:sm", "rot:90/t:10", "t:10/wm:1:ce", "t:255",
  ]

  /// A white image with a black bar of 3 by 9 pixels.
  private func image() throws -> Bitmap {
    try Bitmap(size: Self.source, isOpaque: true) { bytes in
      for index in bytes.indices {
        let (x, y) = (index / 4 % 12, index / 48)
        bytes[index] = index % 4 < 3 && (4..<7).contains(x) && y < 9 ? 0 : 255
      }
    }
  }

  private func plan(_ text: String) throws -> ProcessingPlan {
    let segments = text.split(separator: "/").map(String.init)
    return try ProcessingPlan(
      OptionParser().options(segments).options, source: Self.source, sideLimit: 500, pixelLimit: Self.pixelLimit,
      mark: image())
  }

  private func isRefused(_ text: String) throws -> Bool {
    do {
      _ = try plan(text)
      return false
    } catch is PlanError {
      return true
    }
  }

  @Test(arguments: enlarging, removing)
  func `no result is over the limits, whatever is removed from the image before it is enlarged`(
    enlarging: String, removing: String
  ) throws {
    let text = [removing, enlarging].filter { !$0.isEmpty }.joined(separator: "/")
    // As if no border were removed, and with a crop of the same size in the middle.
    let whole = text.split(separator: "/").filter { !$0.hasPrefix("t:") }.map { $0.replacing(":sm", with: ":ce") }
    #expect(try isRefused(text) == isRefused(whole.joined(separator: "/")))
    if try isRefused(text) { return }
    let plan = try plan(text)
    do {
      let result = try plan.applied(to: image())
      #expect(result.size.pixelCount <= Self.pixelLimit)
      #expect(max(result.size.width, result.size.height) <= 500)
      #expect(plan.processors.isEmpty || plan.processingByteCount >= result.byteCount)
    } catch is PlanError {
      #expect(plan.processors.contains { $0 is StagedProcessor }, "known before")
    }
    let flag = CancellationFlag()
    flag.cancel()
    if plan.processors.contains(where: { $0 is StagedProcessor }) {
      #expect(throws: CancellationError.self) { try flag.asCurrent { try plan.applied(to: image()) } }
    }
  }

  /// A smart crop decodes all that it chooses from, which may have the pixels of the source or those of the largest result.
  @Test(arguments: [(12, 2, true), (12, 12, false), (6, 12, false), (5, 12, true), (3000, 500, false)])
  func `a smart crop of a narrow image that is enlarged is over the limits`(width: Int, height: Int, isRefused: Bool)
    throws
  {
    let options = try OptionParser().options(["rs:fill:500:500:1", "g:sm"]).options
    let source = PixelSize(width: width, height: height)
    func plan() throws -> ProcessingPlan { try ProcessingPlan(options, source: source, sideLimit: 500) }
    guard isRefused || width * height < 500 * 500, width != height else {
      #expect(try plan().resultSize == PixelSize(width: 500, height: 500))
      return
    }
    let scaled =
      width > height ? PixelSize(width: 3000, height: 500) : PixelSize(width: 500, height: 500 * height / width)
    #expect(throws: PlanError.resultTooLarge(scaled, sideLimit: 500)) { try plan() }
  }

  /// A square of three pixels in a row of sixty, which is enlarged twenty times as much without its borders. Its pixels of
  /// four bytes may take what those of the whole image do, 16 for each pixel of the source, and half of what those of the
  /// largest result of 500 pixels a side do: for 364 pixels a side 529,088 bytes, which is a little too few.
  @Test(arguments: [(300, nil), (363, nil), (364, 66_136), (500, 69_110)] as [(Int, Int?)])
  func `what is enlarged without its borders has memory for half of the largest result`(_ side: Int, _ limit: Int?)
    throws
  {
    let bitmap = try Bitmap(size: PixelSize(width: 60, height: 3), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 < 3 && (30..<33).contains(index / 4 % 60) ? 0 : 255 }
    }
    let options = try OptionParser().options(["t:10", "rs:fit:\(side):\(side):1"]).options
    let plan = try ProcessingPlan(options, source: bitmap.size, sideLimit: 500)
    let size = PixelSize(width: side, height: side)
    if let limit {
      #expect(throws: PlanError.tooLarge(size, pixelLimit: limit)) { try plan.applied(to: bitmap) }
    } else {
      #expect(try plan.applied(to: bitmap).size == size)
    }
  }

  /// Options, the limit of the service, and the size of a result of 400 by 300 pixels.
  @Test(arguments: [
    ("", 0, 400, 300), ("", 100, 100, 75), ("", 400, 400, 300), ("", 399, 399, 299), ("mrd:50", 100, 50, 38),
    ("mrd:200", 100, 200, 150), ("mrd:0", 100, 400, 300), ("mrd:50", 0, 50, 38), ("w:80", 100, 80, 60),
    ("rs:force:10:200", 100, 5, 100), ("w:80/pd:10", 50, 50, 40), ("rot:90", 100, 75, 100),
  ])
  func `a result is scaled down to the longest side`(_ text: String, _ dimension: Int, _ width: Int, _ height: Int)
    throws
  {
    let options = try OptionParser(acceptsLimits: true).options(text.split(separator: "/").map(String.init)).options
    let plan = try ProcessingPlan(options, source: PixelSize(width: 400, height: 300), dimension: dimension)
    #expect(plan.resultSize == PixelSize(width: width, height: height))
  }

  /// The memory that is reserved: eight bytes for each pixel of the result, if anything processes it, four for each of a smart
  /// crop and of a watermark.
  @Test(arguments: [
    ("w:100", 0), ("w:100/bl:2", 60_000), ("w:100/pd:50", 280_000), ("rs:fill:100:100/g:sm", 133_200),
    ("w:100/wm:1", 60_048), ("wm:1:ce:0:0:1", 1_440_000),
  ])
  func `processors take memory for the pixels of the result`(_ text: String, _ byteCount: Int) throws {
    let options = try OptionParser().options(text.split(separator: "/").map(String.init)).options
    let mark = try Bitmap(size: PixelSize(width: 4, height: 3), isOpaque: true) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 255)
    }
    let plan = try ProcessingPlan(options, source: PixelSize(width: 400, height: 300), mark: mark)
    #expect(plan.processingByteCount == byteCount)
  }

  @Test func `each of the options that enlarge is refused, alone or without the borders of the image`() throws {
    for text in Self.enlarging.dropLast(2) { #expect(try isRefused(text), "\(text)") }
    for text in Self.enlarging.suffix(2) {
      #expect(throws: PlanError.self) { try plan("t:10/" + text).applied(to: image()) }
    }
  }
}
