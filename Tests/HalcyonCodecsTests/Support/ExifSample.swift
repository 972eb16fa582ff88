import Foundation

/// Exif data of a camera, built field by field.
enum ExifSample {
  static let xmp = """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description tiff:Orientation="6" tiff:Make='Maker &amp; Co'
     xmp:CreateDate="2023-02-03T04:05:06.5-05:30"><dc:rights><rdf:Alt>
     <rdf:li xml:lang="x-default">By all &lt;rights&gt;</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>
    """

  /// A directory with texts and numbers: IFD0, the Exif directory, its interoperability directory, and a thumbnail.
  static func camera(thumbnail: Data = Data([0xFF, 0xD8, 7, 7, 7, 7, 7, 7, 0xFF, 0xD9])) -> Data {
    var data = Data("MM".utf8) + Data(FileSurgery.bytes(42, count: 2) + FileSurgery.bytes(8, count: 4))
    // 6 entries, then their texts; the other directories follow.
    let texts = ["Canon", "Canon EOS R5", "Ann", "(c) Ann \u{7}2024"]
    let tags = [0x010F, 0x0110, 0x013B, 0x8298]
    let textStart = 8 + 2 + 6 * 12 + 4
    var position = textStart
    var entries: [[UInt8]] = []
    var content: [UInt8] = []
    for (tag, text) in zip(tags, texts) {
      let bytes = Array(text.utf8) + [0]
      if bytes.count <= 4 {
        entries.append(entry(tag, 2, bytes.count, bytes + [UInt8](repeating: 0, count: 4 - bytes.count)))
      } else {
        entries.append(entry(tag, 2, bytes.count, FileSurgery.bytes(position, count: 4)))
        content += bytes
        position += bytes.count
      }
    }
    let details = position
    entries.insert(entry(0x0112, 3, 1, [0, 6, 0, 0]), at: 2)
    entries.append(entry(0x8769, 4, 1, FileSurgery.bytes(details, count: 4)))
    let detailTexts = details + 2 + 4 * 12 + 4
    let interoperability = detailTexts + 20 + 7
    let thumbnailDirectory = interoperability + 2 + 12 + 4
    data +=
      FileSurgery.bytes(6, count: 2) + entries.joined() + FileSurgery.bytes(thumbnailDirectory, count: 4) + content
    data += FileSurgery.bytes(4, count: 2)
    data += entry(0x9003, 2, 20, FileSurgery.bytes(detailTexts, count: 4))
    data += entry(0x9011, 2, 7, FileSurgery.bytes(detailTexts + 20, count: 4))
    data += entry(0xA001, 3, 1, [0xFF, 0xFF, 0, 0])
    data += entry(0xA005, 4, 1, FileSurgery.bytes(interoperability, count: 4))
    data += FileSurgery.bytes(0, count: 4) + Array("2024:05:01 10:20:30\0+02:00\0".utf8)
    data += FileSurgery.bytes(1, count: 2) + entry(1, 2, 4, Array("R03\0".utf8)) + FileSurgery.bytes(0, count: 4)
    data += FileSurgery.bytes(2, count: 2)
    data += entry(0x0201, 4, 1, FileSurgery.bytes(thumbnailDirectory + 2 + 24 + 4, count: 4))
    data += entry(0x0202, 4, 1, FileSurgery.bytes(thumbnail.count, count: 4))
    data += FileSurgery.bytes(0, count: 4)
    return data + thumbnail
  }

  /// Exif data with a lens, an exposure and a place.
  static func exposure(time: (Int, Int) = (1, 250), fNumber: (Int, Int) = (28, 10)) -> [UInt8] {
    let lens = Array("RF50mm F1.2\0".utf8)
    let location = 8 + 2 + 2 * 12 + 4
    let details = location + 2 + 12 + 4
    let values = details + 2 + 5 * 12 + 4
    var data = Array("MM".utf8) + FileSurgery.bytes(42, count: 2) + FileSurgery.bytes(8, count: 4)
    data += FileSurgery.bytes(2, count: 2)
    data += entry(0x8769, 4, 1, FileSurgery.bytes(details, count: 4))
    data += entry(0x8825, 4, 1, FileSurgery.bytes(location, count: 4)) + FileSurgery.bytes(0, count: 4)
    data += FileSurgery.bytes(1, count: 2)
    data += entry(0x0002, 5, 3, FileSurgery.bytes(values, count: 4)) + FileSurgery.bytes(0, count: 4)
    data += FileSurgery.bytes(5, count: 2)
    data += entry(0x829A, 5, 1, FileSurgery.bytes(values, count: 4))
    data += entry(0x829D, 5, 1, FileSurgery.bytes(values + 8, count: 4))
    data += entry(0x8827, 3, 1, [1, 0x90, 0, 0])
    data += entry(0x920A, 5, 1, FileSurgery.bytes(values + 16, count: 4))
    data += entry(0xA434, 2, lens.count, FileSurgery.bytes(values + 24, count: 4)) + FileSurgery.bytes(0, count: 4)
    for (dividend, divisor) in [time, fNumber, (50, 1)] {
      data += FileSurgery.bytes(dividend, count: 4) + FileSurgery.bytes(divisor, count: 4)
    }
    return data + lens
  }

  /// Exif data with texts in its Exif directory; empty ones are left out.
  static func details(_ texts: [(tag: Int, text: String)]) -> [UInt8] {
    let texts = texts.filter { !$0.text.isEmpty }
    let start = 8 + 2 + 12 + 4
    var data = Array("MM".utf8) + FileSurgery.bytes(42, count: 2) + FileSurgery.bytes(8, count: 4)
    data += FileSurgery.bytes(1, count: 2) + entry(0x8769, 4, 1, FileSurgery.bytes(start, count: 4))
    data += FileSurgery.bytes(0, count: 4) + FileSurgery.bytes(texts.count, count: 2)
    var content: [UInt8] = []
    let end = start + 2 + texts.count * 12 + 4
    for (tag, text) in texts {
      let bytes = Array(text.utf8) + [0]
      let isInline = bytes.count <= 4
      let padding = [UInt8](repeating: 0, count: max(0, 4 - bytes.count))
      data += entry(tag, 2, bytes.count, isInline ? bytes + padding : FileSurgery.bytes(end + content.count, count: 4))
      if !isInline { content += bytes }
    }
    return data + FileSurgery.bytes(0, count: 4) + content
  }

  static func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
    FileSurgery.bytes(tag, count: 2) + FileSurgery.bytes(type, count: 2) + FileSurgery.bytes(count, count: 4) + value
  }

  /// A JPEG file with Exif data and XMP.
  static func jpeg() throws -> Data {
    let photo = try Fixture.data("jpeg/peacock.progressive.jpeg")
    let withXMP = FileSurgery.jpeg(
      photo, inserting: 0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))
    return FileSurgery.jpeg(withXMP, inserting: 0xE1, Array("Exif\0\0".utf8) + Array(camera()))
  }
}
