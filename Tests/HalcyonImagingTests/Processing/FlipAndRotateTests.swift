import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct FlipAndRotateTests {
  private let first = Pixel(1, 1, 1, 255)
  private let second = Pixel(2, 2, 2, 255)
  private let third = Pixel(3, 3, 3, 255)
  private let fourth = Pixel(4, 4, 4, 255)

  @Test func `flips mirror the image`() throws {
    let bitmap = try Bitmap(rows: [[first, second], [third, fourth]])
    #expect(try BuiltInProcessor.flip(.horizontal).process(bitmap).rows == [[second, first], [fourth, third]])
    #expect(try BuiltInProcessor.flip(.vertical).process(bitmap).rows == [[third, fourth], [first, second]])
  }

  @Test func `multiples of 90 degrees rotate clockwise`() throws {
    let bitmap = try Bitmap(rows: [[first, second, third]])
    #expect(try BuiltInProcessor.rotate(degrees: 90).process(bitmap).rows == [[first], [second], [third]])
    #expect(try BuiltInProcessor.rotate(degrees: 180).process(bitmap).rows == [[third, second, first]])
    #expect(try BuiltInProcessor.rotate(degrees: 270).process(bitmap).rows == [[third], [second], [first]])
    let square = try Bitmap(rows: [[first, second], [third, fourth]])
    #expect(try BuiltInProcessor.rotate(degrees: 90).process(square).rows == [[third, first], [fourth, second]])
  }

  @Test(arguments: ImageOrientation.allCases, ImageOrientation.allCases)
  func `two turns are one, and the inverse undoes each`(first: ImageOrientation, second: ImageOrientation) throws {
    let bitmap = try Bitmap.noise(width: 3, height: 2)
    let turned = try bitmap.upright(from: first)
    #expect(try turned.upright(from: second).rows == bitmap.upright(from: first.followed(by: second)).rows)
    #expect(try turned.upright(from: first.inverse).rows == bitmap.rows)
  }

  @Test func `an angle near 90 degrees gives nearly the same result`() throws {
    let bitmap = try Bitmap.noise(width: 9, height: 9, isOpaque: true)
    let quarter = try BuiltInProcessor.rotate(degrees: 90).process(bitmap).rows
    let near = try BuiltInProcessor.rotate(degrees: 90.000_001).process(bitmap)
    #expect(near.size == bitmap.size)
    for (row, nearRow) in zip(quarter, near.rows).dropFirst().dropLast() {
      #expect(zip(row, nearRow).dropFirst().dropLast().allSatisfy { abs(Int($0.x) - Int($1.x)) <= 1 })
    }
  }

  @Test func `other angles enlarge the canvas, and the new corners are transparent`() throws {
    let bitmap = try Bitmap(rows: Array(repeating: Array(repeating: first, count: 20), count: 20))
    let turned = try BuiltInProcessor.rotate(degrees: 45).process(bitmap)
    #expect(turned.size == PixelSize(width: 29, height: 29))
    #expect(!turned.isOpaque)
    #expect(turned.rows[0][0] == .zero)
    #expect(turned.rows[14][14] == first)
    let coverage = turned.rows.joined().reduce(0) { $0 + Double($1.w) / 255 }
    #expect(abs(coverage - 400) < 4)
  }

  @Test func `a rotation whose result exceeds the pixel limit is an error`() throws {
    let line = try Bitmap(size: PixelSize(width: 30_000, height: 1), isOpaque: false) { _ in }
    #expect(throws: ImageProcessingError.resultTooLarge(PixelSize(width: 21_214, height: 21_214), limit: 100_000_000)) {
      try BuiltInProcessor.rotate(degrees: 45).process(line)
    }
    #expect(try BuiltInProcessor.rotate(degrees: 90).process(line).size == PixelSize(width: 1, height: 30_000))
  }
}
