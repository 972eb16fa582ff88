import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct BMPRunLengthTests {
  private static let (black, red) = (Color(0, 0, 0, 255), Color(255, 0, 0, 255))
  private static let (green, blue) = (Color(0, 255, 0, 255), Color(0, 0, 255, 255))

  /// A bitmap of 4 by 3 pixels with a table of black, red, green and blue.
  private static func bitmap(_ data: [UInt8]) -> Data {
    var file = Array("BM".utf8) + [UInt8](repeating: 0, count: 12)
    file += [40, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 8, 0, 1, 0, 0, 0]
    file += [UInt8](repeating: 0, count: 12) + [4, 0, 0, 0, 0, 0, 0, 0]
    file += [0, 0, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0]
    return Data(file + data)
  }

  @Test func `runs may skip pixels and rows, be stored as they are, and be longer than a row`() throws {
    // Two red pixels, one to the right and one up, a green one, the next row, three as they are, and the end.
    let data: [UInt8] = [2, 1, 0, 2, 1, 1, 1, 2, 0, 0, 0, 3, 1, 2, 3, 0, 9, 2, 0, 1]
    let bitmap = try BMPDecoder().decode(Self.bitmap(data), options: DecodingOptions()).bitmap
    let rows = (0..<3).map { row in (0..<4).map { bitmap.color($0, row) } }
    #expect(rows[0] == [Self.red, Self.green, Self.blue, Self.green])
    #expect(rows[1] == [Self.black, Self.black, Self.black, Self.green])
    #expect(rows[2] == [Self.red, Self.red, Self.black, Self.black])
  }

  @Test func `without run lengths the last row may lack its padding, and a colour the table lacks is black`() throws {
    var file = Self.bitmap([4, 2, 3, 0, 1, 1, 1, 0, 3, 2, 1])
    // Three pixels in a row, not compressed.
    (file[18], file[30]) = (3, 0)
    let image = try BMPDecoder().decode(file, options: DecodingOptions())
    #expect(!image.isPartial)
    #expect((0..<3).map { image.bitmap.color($0, 0) } == [Self.blue, Self.green, Self.red])
    #expect((0..<3).map { image.bitmap.color($0, 2) } == [Self.black, Self.green, Self.blue])
  }
}
