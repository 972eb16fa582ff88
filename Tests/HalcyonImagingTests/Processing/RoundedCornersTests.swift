import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonImaging

@Suite(.unitTest)
struct RoundedCornersTests {
  private let white = Pixel(255, 255, 255, 255)

  private func square(_ side: Int) throws -> Bitmap {
    try Bitmap(rows: Array(repeating: Array(repeating: white, count: side), count: side))
  }

  @Test func `the edge is antialiased, and the coverage equals the area of a circle`() throws {
    let rows = try BuiltInProcessor.circle().process(square(64)).rows
    let coverage = rows.joined().reduce(0) { $0 + Double($1.w) / 255 }
    #expect(abs(coverage - .pi * 32 * 32) < 4)
    #expect(rows.joined().contains { $0.w > 0 && $0.w < 255 })
  }

  @Test func `a circle is symmetric`() throws {
    let circle = try BuiltInProcessor.circle(border: ImageBorder(width: 2.5, color: .black)).process(square(15))
    #expect(try BuiltInProcessor.rotate(degrees: 90).process(circle).rows == circle.rows)
    #expect(try BuiltInProcessor.flip(.horizontal).process(circle).rows == circle.rows)
  }

  /// Radii that end inside a pixel, and borders that begin there.
  @Test(arguments: [1.25, 2.75, 3.4, 5], [nil, 0.75, 1.5]) func `corners of any radius are symmetric`(
    _ radius: Double, _ width: Double?
  ) throws {
    let border = width.map { ImageBorder(width: $0, color: .black) }
    let rounded = try BuiltInProcessor.roundedCorners(CornerRadii(radius), border: border).process(square(13))
    #expect(rounded.rows[0][0].w < 255)
    #expect(try BuiltInProcessor.flip(.horizontal).process(rounded).rows == rounded.rows)
    #expect(try BuiltInProcessor.flip(.vertical).process(rounded).rows == rounded.rows)
    #expect(try BuiltInProcessor.rotate(degrees: 90).process(rounded).rows == rounded.rows)
  }

  /// The width and the height of an image, its radii in pixels or shares, and the radii that fit: top left, top right,
  /// bottom left, bottom right.
  @Test(
    arguments: [
      (20, 10, [5, 5, 5, 5], false, [5, 5, 5, 5]), (20, 10, [6, 6, 6, 6], false, [5, 5, 5, 5]),
      (20, 10, [15, 15, 0, 0], false, [10, 10, 0, 0]), (20, 10, [0, 0, 15, 15], false, [0, 0, 10, 10]),
      (20, 10, [8, 0, 8, 0], false, [5, 0, 5, 0]), (20, 10, [0, 8, 0, 8], false, [0, 5, 0, 5]),
      (20, 10, [40, 0, 0, 0], false, [10, 0, 0, 0]), (20, 10, [0.5, 0, 0.25, 0], true, [5, 0, 2.5, 0]),
      (10, 20, [0.5, 0, 0, 0.25], true, [5, 0, 0, 2.5]), (20, 10, [1, 1, 1, 1], true, [5, 5, 5, 5]),
    ] as [(Int, Int, [Double], Bool, [Double])])
  func `radii that overlap are reduced by one factor`(
    _ width: Int, _ height: Int, _ radii: [Double], _ isFraction: Bool, _ expected: [Double]
  ) {
    let corners = CornerRadii(
      topLeft: radii[0], topRight: radii[1], bottomLeft: radii[2], bottomRight: radii[3],
      unit: isFraction ? .fraction : .pixels)
    let fitting = corners.resolved(for: PixelSize(width: width, height: height)).values
    #expect(zip(fitting, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(fitting)")
  }

  @Test func `a circle is cropped from the middle of the longer side`() throws {
    let row = (0..<9).map { Pixel(UInt8(10 * $0), 0, 0, 255) }
    let circle = try BuiltInProcessor.circle().process(Bitmap(rows: [row, row, row]))
    #expect(circle.size == PixelSize(width: 3, height: 3))
    #expect(circle.rows[1][1] == row[4])
  }

  @Test func `a radius of half the shorter side or more gives a circle`() throws {
    let bitmap = try Bitmap.noise(width: 12, height: 12, isOpaque: true)
    let circle = try BuiltInProcessor.circle().process(bitmap).rows
    #expect(try BuiltInProcessor.roundedCorners(CornerRadii(6)).process(bitmap).rows == circle)
    #expect(try BuiltInProcessor.roundedCorners(CornerRadii(0.5, unit: .fraction)).process(bitmap).rows == circle)
    #expect(try BuiltInProcessor.roundedCorners(CornerRadii(90)).process(bitmap).rows == circle)
  }

  @Test func `a border is drawn inside the edge and over the image`() throws {
    let red = Pixel(255, 0, 0, 255)
    let border = ImageBorder(width: 1, color: PixelColor(red: 255, green: 0, blue: 0))
    let rows = try BuiltInProcessor.roundedCorners(CornerRadii(0), border: border).process(square(3)).rows
    #expect(rows == [[red, red, red], [red, white, red], [red, red, red]])
  }

  @Test func `a border of half a pixel is blended by half`() throws {
    let rows = try BuiltInProcessor.roundedCorners(CornerRadii(0), border: ImageBorder(width: 0.5, color: .black))
      .process(square(4)).rows
    #expect(rows[1][0] == Pixel(127, 127, 127, 255))
    #expect(rows[1][1] == white)
  }

  @Test func `a border wider than the image covers it`() throws {
    let result = try BuiltInProcessor.roundedCorners(CornerRadii(0), border: ImageBorder(width: 99, color: .black))
      .process(square(4))
    #expect(result.rows.joined().allSatisfy { $0 == Pixel(0, 0, 0, 255) })
  }

  @Test func `the background fills the corners and shows through transparent pixels`() throws {
    let background = PixelColor(red: 0, green: 0, blue: 255)
    let half = Pixel(128, 0, 0, 128)
    let bitmap = try Bitmap(rows: Array(repeating: Array(repeating: half, count: 8), count: 8))
    let result = try BuiltInProcessor.roundedCorners(CornerRadii(4), background: background).process(bitmap)
    #expect(result.isOpaque)
    #expect(result.rows[0][0] == Pixel(0, 0, 255, 255))
    #expect(result.rows[4][4] == Pixel(128, 0, 127, 255))
  }

  @Test func `each corner has its own radius, and pixels inside are unchanged`() throws {
    let radii = CornerRadii(topLeft: 3, topRight: 9, bottomLeft: 15, bottomRight: 0)
    let rows = try BuiltInProcessor.roundedCorners(radii).process(square(40)).rows
    let lost = { (columns: Range<Int>, range: Range<Int>) in
      range.reduce(0.0) { sum, row in columns.reduce(sum) { $0 + 1 - Double(rows[row][$1].w) / 255 } }
    }
    // A rounded corner removes the area of a square of its radius less a quarter circle.
    for (found, radius) in [
      (lost(0..<20, 0..<20), 3.0), (lost(20..<40, 0..<20), 9), (lost(0..<20, 20..<40), 15), (lost(20..<40, 20..<40), 0),
    ] { #expect(abs(found - (1 - .pi / 4) * radius * radius) < 1) }
    #expect(rows[12...24].joined().allSatisfy { $0 == white })
  }
}
