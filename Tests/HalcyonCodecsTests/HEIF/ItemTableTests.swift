import Foundation
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

@Suite(.unitTest)
struct ItemTableTests {
  private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    FileSurgery.bytes(content.count + 8, count: 4) + Array(type.utf8) + content
  }

  private func table<Value>(_ boxes: [UInt8]..., body: (ItemTable) throws -> Value) throws -> Value {
    try ([0, 0, 0, 0] + boxes.flatMap(\.self)).withUnsafeBytes { try body(ItemTable(Bytes($0), .heic)) }
  }

  private func properties(_ count: Int, _ associations: [UInt8]...) -> [UInt8] {
    let properties = (0..<count).flatMap { box("p\(100 + $0)", []) }
    return box("iprp", box("ipco", properties) + associations.flatMap { box("ipma", $0) })
  }

  @Test func `a property applies once to an item, in the order of the first associations`() throws {
    // Two boxes with the indices 2, 1, 2, and 3, 1, an index that does not exist, and another item.
    let first: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 3, 2, 1, 0x82]
    let second: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2, 0, 7, 3, 0, 3, 0x80, 1, 0, 99, 0, 8, 1, 0, 1]
    try table(properties(3, first, second)) { table in
      #expect(table.properties(of: 7).map(\.type) == ["p101", "p100", "p102"])
      #expect(table.properties(of: 8).map(\.type) == ["p100"] && table.properties(of: 9).isEmpty)
    }
  }

  @Test func `references of one type are joined, but a derived image has one list of inputs`() throws {
    let references =
      box("auxl", [0, 2, 0, 1, 0, 1]) + box("auxl", [0, 3, 0, 1, 0, 9]) + box("auxl", [0, 2, 0, 2, 0, 8, 0, 1])
      + box("dimg", [0, 1, 0, 2, 0, 4, 0, 4]) + box("dimg", [0, 1, 0, 1, 0, 5])
    try table(box("iref", [0, 0, 0, 0] + references)) { table in
      #expect(table.references("auxl").sources == [2, 3] && table.references("auxl")[2] == [1, 8, 1])
      #expect(table.inputs(of: 1) == [4, 4] && table.auxiliaries(of: [8]) == [2] && table.auxiliaries(of: [7]).isEmpty)
    }
  }

  @Test func `an image has the items that it is derived from, those with its data, and its alpha`() throws {
    let alpha = box("auxC", [0, 0, 0, 0] + "urn:mpeg:hevc:2015:auxid:1".utf8 + [0])
    let associations = box("ipma", [0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 1, 1])
    let references =
      box("dimg", [0, 1, 0, 2, 0, 2, 0, 3]) + box("iloc", [0, 3, 0, 1, 0, 4]) + box("auxl", [0, 7, 0, 1, 0, 1])
      + box("auxl", [0, 8, 0, 1, 0, 1]) + box("thmb", [0, 9, 0, 1, 0, 1])
    try table(
      box("pitm", [0, 0, 0, 0, 0, 1]), box("iref", [0, 0, 0, 0] + references),
      box("iprp", box("ipco", alpha) + associations)
    ) { table in
      #expect(table.imageItems == [1, 2, 3, 4, 7])
    }
  }

  @Test func `a gain map is that of the primary image, not that of another one`() throws {
    func entry(_ item: UInt8) -> [UInt8] { box("infe", [2, 0, 0, 0, 0, item, 0, 0] + Array("tmap".utf8)) }
    let other = box("dimg", [0, 8, 0, 2, 0, 5, 0, 6])
    let own = box("dimg", [0, 9, 0, 2, 0, 1, 0, 2])
    let (first, third) = (box("dimg", [0, 8, 0, 2, 0, 1, 0, 5]), box("dimg", [0, 8, 0, 3, 0, 1, 0, 5, 0, 6]))
    for (references, image, parameters) in [
      (other + own, 2, 9), (other, nil, nil), (own + first, 5, 8), (third, nil, nil),
    ] as [([UInt8], Int?, Int?)] {
      try table(
        box("pitm", [0, 0, 0, 0, 0, 1]), box("iinf", [0, 0, 0, 0, 0, 2] + entry(8) + entry(9)),
        box("iref", [0, 0, 0, 0] + references)
      ) { table in
        #expect(table.gainMap?.image == image)
        #expect(table.gainMap?.parameters == parameters)
      }
    }
  }

  #if AVIF && !IMAGEIO
  /// The flags are the last three bytes of the first four.
  @Test(arguments: [(0, false), (1, false), (2, true), (256, true), (257, false)])
  func `boxes of associations get flags of their own, if a byte has as many`(_ count: Int, _ isChanged: Bool) throws {
    let associations = (0..<count).map { _ in box("ipma", [0, 0, 0, 0, 0, 0, 0, 0]) }
    // A box that is too short has no flags.
    let file = box("meta", [0, 0, 0, 0] + box("iprp", associations.flatMap(\.self) + box("ipma", [0])))
    let copy = file.withUnsafeBytes { AssociationBoxes.distinct(in: $0) }
    #expect((copy != nil) == isChanged)
    for index in 0..<(isChanged ? count : 0) { #expect(copy?[28 + index * 16 + 1] == UInt8(index)) }
  }
  #endif

  @Test func `more entries than images have are an error that names the limit`() throws {
    let associations: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 65] + (1...65)
    #expect(throws: ImageDecodingError.unsupportedFeature(.heic, feature: "an item with over 64 properties")) {
      try table(properties(65, associations)) { _ in }
    }
    let entries = (0...20_000).flatMap {
      box("infe", [2, 0, 0, 0] + FileSurgery.bytes($0, count: 2) + [0, 0] + "hvc1".utf8)
    }
    #expect(throws: ImageDecodingError.unsupportedFeature(.heic, feature: "over 20000 items")) {
      try table(box("iinf", [0, 0, 0, 0, 0, 0] + entries)) { _ in }
    }
    let targets = [UInt8](repeating: 0, count: 2 * 65_535)
    let references = (0..<5).flatMap { _ in box("thmb", [0, 1, 0xFF, 0xFF] + targets) }
    #expect(throws: ImageDecodingError.unsupportedFeature(.heic, feature: "a header of over 262144 parts")) {
      try table(box("iref", [0, 0, 0, 0] + references)) { _ in }
    }
  }

  /// Formats whose headers can have so many parts that reading them takes time.
  @Test(arguments: [
    "HEIF: a profile that applies again and again", "HEIF: empty boxes", "JPEG: empty comments", "PNG: empty texts",
    "GIF: frames", "WebP: frames",
  ])
  func `a header ends with the work that it is part of`(_ name: String) throws {
    let header = try #require(HostileHeader.all.first { $0.testDescription == name })
    let file = try header.file(100_000)
    let decoder = try StandardCodecs.decoder(of: file)
    let flag = CancellationFlag()
    flag.cancel()
    #expect(throws: ImageDecodingError.cancelled) {
      try flag.asCurrent {
        _ = try decoder.probe(file, isComplete: true)
        _ = try decoder.metadata(of: file)
      }
    }
  }
}
