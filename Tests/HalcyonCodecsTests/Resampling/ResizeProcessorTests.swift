import HalcyonImaging
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ResizeProcessorTests {
  @Test(
    arguments: [
      (.fit(width: 20, height: 20), 20, 15), (.fill(width: 20, height: 20), 20, 20),
      (.fit(width: 400, height: 400), 40, 30), (.exact(width: 80, height: 7), 80, 7),
      (.fill(width: 10, height: 30, anchor: .right), 10, 30), (.original, 40, 30), (.fit(width: 1, height: 1), 1, 1),
    ] as [(TargetSize, Int, Int)])
  func `the result has the size of the target`(_ target: TargetSize, _ width: Int, _ height: Int) throws {
    let image = try Bitmap.painted(40, 30, isOpaque: true) { column, row in Color(column * 6, row * 8, 128, 255) }
    let result = try BuiltInProcessor.resize(target).process(image)
    #expect(result.size == PixelSize(width: width, height: height))
    #expect(result.isOpaque)
  }

  @Test(arguments: ColorSpace.allCases)
  func `the result has the colour space of the image`(_ space: ColorSpace) throws {
    let size = PixelSize(width: 40, height: 30)
    let image = try Bitmap(size: size, isOpaque: true, colorSpace: space) { bytes in
      for index in bytes.indices { bytes[index] = 255 }
    }
    #expect(try BuiltInProcessor.resize(.fit(width: 20, height: 20)).process(image).colorSpace == space)
  }

  @Test(arguments: [4, 33])
  func `colours keep their positions, and transparency adds no dark fringes`(_ reduction: Int) throws {
    let side = 8 * reduction
    let image = try Bitmap.painted(side, side, isOpaque: false) { column, row in
      row < side / 2 ? Color(255, 0, 0, 255) : column < side / 2 ? Color(0, 0, 0, 0) : Color(0, 255, 0, 255)
    }
    let result = try BuiltInProcessor.resize(.exact(width: 8, height: 8)).process(image)
    // The filter rings a little on both sides of an edge.
    #expect(isNear(pixel(1, 1, of: result), [255, 0, 0, 255]))
    #expect(isNear(pixel(6, 6, of: result), [0, 255, 0, 255]))
    #expect(isNear(pixel(1, 6, of: result), [0, 0, 0, 0]))
    // The edge between red and transparent has no black fringe.
    for row in 0..<8 { #expect(isNear([pixel(1, row, of: result)[0]], [pixel(1, row, of: result)[3]])) }
    #expect(!result.isOpaque)
  }

  private func isNear(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    zip(left, right).allSatisfy { abs(Int($0) - Int($1)) <= 3 }
  }

  private func pixel(_ column: Int, _ row: Int, of bitmap: Bitmap) -> [UInt8] {
    let (red, green, blue, alpha) = bitmap[column, row]
    return [red, green, blue, alpha]
  }

  @Test func `processors are equal if and only if their target sizes are`() throws {
    let fit = TargetSize.fit(width: 20, height: 20)
    #expect(BuiltInProcessor.resize(.fit(width: 20, height: 20)) == .resize(fit))
    #expect(BuiltInProcessor.resize(fit) != .resize(.fill(width: 20, height: 20)))
  }

  @Test(arguments: [TargetSize.fit(width: 0, height: 3), .exact(width: 3, height: -1)])
  func `a target size without pixels is an error that names it`(_ target: TargetSize) throws {
    let image = try Bitmap.painted(4, 4, isOpaque: true) { _, _ in Color(1, 2, 3, 255) }
    #expect(throws: ImageProcessingError.invalidTargetSize(target)) {
      try BuiltInProcessor.resize(target).process(image)
    }
  }

  @Test func `a huge result is an error before memory is allocated`() throws {
    let image = try Bitmap.painted(4, 4, isOpaque: true) { _, _ in Color(1, 2, 3, 255) }
    #expect(throws: ImageProcessingError.self) {
      try BuiltInProcessor.resize(.exact(width: .max, height: .max)).process(image)
    }
  }
}
