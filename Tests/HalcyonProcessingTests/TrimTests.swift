import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonProcessing

@Suite(.unitTest)
struct TrimTests {
  /// A blue rectangle of 20 by 10 pixels at (10, 5) on a background of 60 by 40.
  private func scene(_ background: [UInt8] = [250, 250, 250, 255], noise: Bool = false) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 60, height: 40), isOpaque: background[3] == 255) { bytes in
      for index in 0..<60 * 40 {
        let (x, y) = (index % 60, index / 60)
        let isInside = (10..<30).contains(x) && (5..<15).contains(y) || noise && (x, y) == (50, 30)
        let color: [UInt8] = isInside ? [0, 0, 255, 255] : background
        for channel in 0..<4 { bytes[index * 4 + channel] = color[channel] }
      }
    }
  }

  private func area(_ bitmap: Bitmap, _ option: String) throws -> [Int]? {
    let trim = try #require(try OptionParser().options([option]).options.trim)
    return try trim.processor.area(of: bitmap).map { [$0.left, $0.top, $0.width, $0.height] }
  }

  @Test func `borders of the corner's colour are removed, and noise of single pixels is border`() throws {
    for bitmap in [try scene(), try scene(noise: true), try scene([0, 0, 0, 0]), try scene([0, 0, 250, 255])] {
      let expected = bitmap[0, 0].blue == 250 && bitmap[0, 0].red == 0 ? nil : [10, 5, 20, 10]
      #expect(try area(bitmap, "trim:10") == expected)
    }
    #expect(try area(scene(), "t:10:ff00ff") == [0, 0, 60, 40])
    #expect(try area(scene(), "t:10:fafafa:1:0") == [10, 5, 40, 10])
    #expect(try area(scene(), "t:10::0:1") == [10, 5, 20, 30])
    #expect(try area(scene(), "t:255") == nil)
  }

  /// Pixels of another colour on grey of nine pixels a side, whose edges go on beyond it, and what differs: where five of nine
  /// pixels are brighter, or five are darker.
  @Test(
    arguments: [
      ([4, 5], [4, 5], [], nil), ([3, 4, 5], [4, 5], [], [4, 4, 1, 2]), ([3, 4, 5], [3, 4, 5], [], [3, 3, 3, 3]),
      ([4], Array(0..<9), [], nil), ([4, 5], Array(0..<9), [], [4, 0, 2, 9]), ([8], Array(0..<9), [], [8, 0, 1, 9]),
      (Array(0..<9), [8], [], [0, 8, 9, 1]), ([8], [8], [], nil), ([8], [7, 8], [], [8, 8, 1, 1]),
      ([3, 4, 5], [4, 5], [5], nil), ([3, 4, 5], [3, 4, 5], [3], [4, 4, 1, 2]),
    ] as [([Int], [Int], [Int], [Int]?)])
  func `noise of few pixels is border`(_ columns: [Int], _ rows: [Int], _ darkRows: [Int], _ expected: [Int]?) throws {
    let bitmap = try Bitmap(size: PixelSize(width: 9, height: 9), isOpaque: true) { bytes in
      for index in bytes.indices {
        let (x, y) = (index / 4 % 9, index / 36)
        let differs = columns.contains(x) && rows.contains(y)
        bytes[index] = index % 4 == 3 ? 255 : differs ? (darkRows.contains(y) ? 0 : 255) : 128
      }
    }
    #expect(try area(bitmap, "t:10") == expected)
    #expect(try area(bitmap, "t:126") == expected)
    #expect(try area(bitmap, "t:128") == nil)
  }

  /// What is left of the scene turned by half: the rectangle is nearer to the right and to the bottom.
  @Test(
    arguments: [
      ("t:10", [30, 25, 20, 10]), ("t:10::1:0", [10, 25, 40, 10]), ("t:10::0:1", [30, 5, 20, 30]),
      ("t:10::1:1", [10, 5, 40, 30]), ("t:5:fafafa", [30, 25, 20, 10]), ("t:4:ffffff", [0, 0, 60, 40]),
      ("t:5:ffffff", [30, 25, 20, 10]), ("t:255:000000", nil),
    ] as [(String, [Int]?)])
  func `as much is removed on both sides as on the narrower one`(_ option: String, _ expected: [Int]?) throws {
    #expect(try area(BuiltInProcessor.rotate(degrees: 180).process(scene()), option) == expected)
  }

  @Test(arguments: [
    ("t:10", 20, 10), ("t:10/w:10", 10, 5), ("rot:90/t:10", 10, 20), ("t:10/c:5:5", 5, 5), ("t:", 60, 40),
    ("t:10/rs:fill:4:4", 4, 4), ("t:255", 60, 40), ("t:10/pd:1", 22, 12),
  ])
  func `sizes follow from what is left`(text: String, width: Int, height: Int) throws {
    let (options, scene) = (
      try OptionParser().options(text.split(separator: "/").map(String.init)).options, try scene()
    )
    let result = try ProcessingPlan(options, source: scene.size).applied(to: scene)
    #expect(result.size == PixelSize(width: width, height: height))
  }
}
