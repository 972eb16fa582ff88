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

  /// Offsets, lengths, the base of an item and the indices of its extents have four bytes each. Their data is in the
  /// file, in the list of items, or in other items.
  @Test(
    arguments: [
      (1, 50, 0, [(10, 5)], [60..<65]), (2, 3, 0, [(7, 5), (87, 10)], [10..<15, 90..<100]), (1, 99, 0, [(2, 1)], nil),
      (1, 0, 1, [(1, 2)], [201..<203]), (1, 0, 1, [(9, 2)], nil), (1, 0, 2, [(1, 2)], nil),
      (1, 0, 0, [(0, 60), (0, 40)], [0..<60, 0..<40]), (1, 0, 0, [(0, 60), (0, 41)], nil),
    ] as [(UInt8, Int, UInt8, [(Int, Int)], [Range<UInt8>]?)])
  func `offsets are counted from the base of an item`(
    _ version: UInt8, _ base: Int, _ method: UInt8, _ extents: [(Int, Int)], _ expected: [Range<UInt8>]?
  ) {
    let width = version == 1 ? 2 : 4
    var table: [UInt8] = [version, 0, 0, 0, 0x44, 0x44]
    table += FileSurgery.bytes(1, count: width) + FileSurgery.bytes(7, count: width)
    table += [0, method, 0, 0] + FileSurgery.bytes(base, count: 4) + FileSurgery.bytes(extents.count, count: 2)
    for (offset, length) in extents {
      table += [0, 0, 0, 9] + FileSurgery.bytes(offset, count: 4) + FileSurgery.bytes(length, count: 4)
    }
    var box: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 18] + Array("idat".utf8) + Array(UInt8(200)..<210)
    box += FileSurgery.bytes(table.count + 8, count: 4) + Array("iloc".utf8) + table
    let file = Array(UInt8(0)..<100)
    let found = file.withUnsafeBytes { file in
      box.withUnsafeBytes { ItemLocations(Bytes(file), Bytes($0)).data(of: 7)?.map { Array($0.data) } }
    }
    #expect(found == expected?.map { Array($0) })
  }
}
