import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// The boxes of a file, and the items with its metadata.
@Suite(.unitTest)
struct MediaFileTests {
  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    FileSurgery.bytes(content.count + 8, count: 4) + Array(type.utf8) + content
  }

  private static let brand = box("ftyp", Array("mif1\0\0\0\0hevx".utf8))
  private static let (meta, movie) = (box("meta", [1]), box("moov", [2]))
  /// The beginning of a box whose size is less than that of its header.
  private static let wrong: [UInt8] = [0, 0, 0, 2] + Array("free".utf8) + [UInt8](repeating: 0, count: 8)

  /// Files, and their brand, lists, and how far they go; `nil` if they are damaged.
  private static let files: [([UInt8], String?)] = [
    (brand, "mif1 sequence 20"), (box("ftyp", Array("heic\0\0\0\0mif1".utf8)), "heic 20"),
    (brand + box("ftyp", Array("heic".utf8)), "mif1 sequence 32"), (meta + movie, " meta 1 movie 2 18"),
    (meta + box("meta", [3]), " meta 1 18"), (movie + box("moov", [3]), " movie 2 18"),
    (meta + wrong, " meta 1 9"), (movie + wrong, " movie 2 9"), (brand + wrong, nil),
    (brand + wrong.dropLast(), "mif1 sequence cut 20"), (brand + meta.dropLast(), "mif1 sequence cut 28"),
  ]

  @Test(arguments: files.indices)
  func `the first box of each kind counts, and what follows the lists may be anything`(_ index: Int) {
    let (bytes, expected) = Self.files[index]
    let found: String? = try? bytes.withUnsafeBytes { buffer in
      let file = try MediaFile(Bytes(buffer), format: .heic)
      let meta = file.metadata.map { " meta \($0[0] ?? 0)" } ?? ""
      let movie = file.movie.map { " movie \($0[0] ?? 0)" } ?? ""
      let (sequence, cut) = (file.hasSequenceBrand ? " sequence" : "", file.endsEarly ? " cut" : "")
      return "\(file.majorBrand)\(sequence)\(meta)\(movie)\(cut) \(file.validCount)"
    }
    #expect(found == expected)
  }

  private static let exif = "MM\0*\0\0\0\u{8}"
  private static let xmpType = "application/rdf+xml\0"

  /// The types and names of items, and their data; the Exif data and the packet that are read.
  private static let items: [(items: [(type: String, data: String)], exif: String?, xmp: String?)] = [
    ([("Exif\0", "\0\0\0\0\(exif)1"), ("Exif\0", "\0\0\0\0\(exif)2")], exif + "1", nil),
    ([("Exif\0", "\0\0\0\u{2}ab\(exif)")], exif, nil), ([("Exif\0", "\0\0\0\u{9}\(exif)")], nil, nil),
    ([("Exif\0", "\0\0\0\0Exif\0\0\(exif)")], exif, nil),
    ([("mime\0\(xmpType)", "a"), ("mime\0\(xmpType)", "b")], nil, "a"),
    ([("mime\0text/plain\0", "a"), ("mimename\0\(xmpType)", "b")], nil, "b"),
  ]

  @Test(arguments: items.indices, [2, 3] as [UInt8])
  func `the first Exif data and the first packet are read`(_ index: Int, _ version: UInt8) throws {
    let (items, exif, xmp) = Self.items[index]
    var (file, entries, places) = ([UInt8](), [UInt8](), [UInt8]())
    for (offset, item) in items.enumerated() {
      let identifier = FileSurgery.bytes(offset + 1, count: version == 3 ? 4 : 2)
      entries += Self.box("infe", [version, 0, 0, 0] + identifier + [0, 0] + Array(item.type.utf8))
      places += FileSurgery.bytes(offset + 1, count: 2) + [0, 0, 0, 1] + FileSurgery.bytes(file.count, count: 4)
      places += FileSurgery.bytes(item.data.utf8.count, count: 4)
      file += Array(item.data.utf8)
    }
    let count = UInt8(items.count)
    let table = Self.box("iloc", [0, 0, 0, 0, 0x44, 0, 0, count] + places)
    let meta: [UInt8] = [0, 0, 0, 0] + Self.box("iinf", [0, 0, 0, 0, 0, count] + entries) + table
    let blocks = try file.withUnsafeBytes { file in
      try meta.withUnsafeBytes { try HEIFMetadata.blocks(of: Bytes(file), Bytes($0), ItemTable(Bytes($0), .heic)) }
    }
    #expect(blocks.exif == exif.map { Data($0.utf8) })
    #expect(blocks.xmp == xmp.map { Data($0.utf8) })
  }
}
