import Foundation
import HalcyonImaging

@testable import HalcyonCodecs

/// Files as iPhones save them in JPEG: a picture with a maker note, an index, and a grey map with an XMP packet.
enum AppleCamera {
  private static func grey(_ value: UInt8) throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: 16, height: 16), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : value }
    }
    return try JPEGEncoder().encode(bitmap, options: EncodingOptions(quality: 1))
  }

  /// A picture and its map, each of one grey.
  ///
  /// - Parameters:
  ///   - base: The grey of the picture.
  ///   - map: The grey of the map.
  ///   - statedHeadroom: That in the packet of the map.
  ///   - headroom: That of the maker note, in thousandths.
  ///   - gain: That of the maker note, in thousandths.
  static func file(
    base: UInt8, map: UInt8, statedHeadroom: Double? = nil, headroom: Int = 1500, gain: Int = 5
  ) throws -> Data {
    let stated = statedHeadroom.map { "<HDRGainMap:HDRGainMapHeadroom>\($0)</HDRGainMap:HDRGainMapHeadroom>" }
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/">\
      <HDRGainMap:HDRGainMapVersion>65536</HDRGainMap:HDRGainMapVersion>\(stated ?? "")\
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let second = try JPEGSegments.adding(
      [JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, Data(packet.utf8))], to: grey(map)
    ).file
    var (file, end) = JPEGSegments.adding(
      [
        JPEGSegments.Addition(0xE1, JPEGHeader.exifPrefix, exif(headroom, gain)),
        JPEGSegments.Addition(0xE2, MultiPicture.prefix, Data(count: MultiPicture.indexByteCount)),
      ], to: try grey(base))
    let start = end - MultiPicture.indexByteCount
    file.replaceSubrange(start..<end, with: MultiPicture.index(of: file.count, and: second.count, from: start))
    return file + second
  }

  /// Exif data with a maker note.
  private static func exif(_ headroom: Int, _ gain: Int) -> Data {
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      FileSurgery.bytes(tag, count: 2) + FileSurgery.bytes(type, count: 2) + FileSurgery.bytes(count, count: 4)
        + FileSurgery.bytes(value, count: 4)
    }
    func directory(_ entries: [[UInt8]]) -> [UInt8] {
      FileSurgery.bytes(entries.count, count: 2) + entries.flatMap(\.self) + [0, 0, 0, 0]
    }
    func fraction(_ thousandths: Int) -> [UInt8] {
      FileSurgery.bytes(thousandths, count: 4) + FileSurgery.bytes(1000, count: 4)
    }
    let note =
      Array("Apple iOS\0\0\u{1}MM".utf8) + directory([entry(33, 10, 1, 44), entry(48, 10, 1, 52)]) + fraction(headroom)
      + fraction(gain)
    return Data(
      Array("MM\0*".utf8) + FileSurgery.bytes(8, count: 4) + directory([entry(0x8769, 4, 1, 26)])
        + directory([entry(0x927C, 7, note.count, 44)]) + note)
  }
}
