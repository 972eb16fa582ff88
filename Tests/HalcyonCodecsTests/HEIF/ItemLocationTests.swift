import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.unitTest)
struct ItemLocationTests {
  /// A file of so many bytes, with an item whose only extent is at an offset; lengths may have no bytes.
  private func locations<Value>(
    offset: Int, length: Int, lengthByteCount: Int = 4, _ body: (ItemLocations) throws -> Value
  ) rethrows -> Value {
    let table: [UInt8] =
      [0, 0, 0, 0, 0x40 | UInt8(lengthByteCount), 0, 0, 1, 0, 7, 0, 0, 0, 1] + FileSurgery.bytes(offset, count: 4)
      + FileSurgery.bytes(length, count: lengthByteCount)
    let box = FileSurgery.bytes(table.count + 8, count: 4) + Array("iloc".utf8) + table
    let file = Array(UInt8(0)..<100)
    return try file.withUnsafeBytes { file in
      try ([0, 0, 0, 0] + box).withUnsafeBytes { try body(ItemLocations(Bytes(file), Bytes($0))) }
    }
  }

  @Test(arguments: [4, 0]) func `an extent without a length goes to the end of the file`(lengthByteCount: Int) {
    locations(offset: 60, length: 0, lengthByteCount: lengthByteCount) { locations in
      #expect(locations.data(of: 7)?.map { Array($0.data) } == [Array(60..<100)] && locations.cutItems.isEmpty)
    }
  }

  @Test func `an extent ends in the file, or its item is cut`() {
    for (offset, length, isCut) in [(60, 40, false), (60, 41, true), (100, 1, true), (99, 1, false), (200, 0, true)] {
      locations(offset: offset, length: length) { locations in
        #expect((locations.data(of: 7) == nil) == isCut && locations.cutItems == (isCut ? [7] : []))
        #expect(locations.data(of: 8) == nil)
      }
    }
  }
}
