import Foundation
import HalcyonImaging

/// The gain map of a JPEG file: a second JPEG behind the picture, with the parameters of its samples.
struct JPEGGainMap {
  /// The most pictures of a file that are looked at.
  private static let imageLimit = 16

  /// The map's file inside the file.
  let range: Range<Int>
  let header: JPEGHeader
  let parameters: GainMap.Parameters
  let kind: GainMapKind

  /// The gain map of a file; `nil` if it has none or several, or one that cannot belong to the picture.
  ///
  /// - Parameter header: The header of the picture.
  static func find(_ header: JPEGHeader, in file: UnsafeRawBufferPointer, limits: ImageLimits) -> JPEGGainMap? {
    guard header.info.dynamicRange != .standard else { return nil }
    var ranges = images(header, in: file)
    if ranges.isEmpty { ranges = containerItems(header, in: file) }
    let maps = ranges.prefix(imageLimit).compactMap { JPEGGainMap($0, of: header, in: file) }
    guard maps.count == 1, let map = maps.first, map.fits(header, limits) else { return nil }
    return map
  }

  /// - Parameter whole: The header of the picture.
  private init?(_ range: Range<Int>, of whole: JPEGHeader, in file: UnsafeRawBufferPointer) {
    guard range.lowerBound > 0, range.upperBound <= file.count else { return nil }
    let bytes = Bytes(file)[range]
    guard let header = try? JPEGHeaderParser.parse(bytes) else { return nil }
    if let iso = header.iso, let parameters = GainMap.Parameters(iso: bytes[iso]) {
      (self.parameters, kind) = (parameters, .iso)
    } else {
      guard let packet = header.xmp.map({ XMPPacket(bytes[$0].data) }) else { return nil }
      if let parameters = GainMap.Parameters(packet) {
        (self.parameters, kind) = (parameters, .xmp)
      } else if !packet.values("HDRGainMap:HDRGainMapVersion").isEmpty,
        let parameters = GainMap.Parameters(apple: packet, headroom: whole.appleHeadroom)
      {
        (self.parameters, kind) = (parameters, .apple)
      } else {
        return nil
      }
    }
    (self.range, self.header) = (range, header)
  }

  /// Whether the map is one of the picture.
  private func fits(_ whole: JPEGHeader, _ limits: ImageLimits) -> Bool {
    header.colorModel != .cmyk && encoded.fits(whole.size, limits, .jpeg, isInRows: whole.isInRows)
  }

  /// The further images of a multi-picture file (CIPA DC-007), whose offsets count from its TIFF header.
  private static func images(_ header: JPEGHeader, in file: UnsafeRawBufferPointer) -> [Range<Int>] {
    guard let index = header.multiPicture, let tiff = ExifData(Bytes(file)[index]),
      let entry = tiff.entry(MultiPicture.entriesTag, in: tiff.directory)
    else { return [] }
    func number(_ offset: Int) -> Int? { tiff.bytes.unsigned32(at: offset, littleEndian: tiff.isLittleEndian) }
    guard let byteCount = number(entry + 4), let start = number(entry + 8) else { return [] }
    let count = min(byteCount / MultiPicture.entryByteCount, imageLimit)
    // The first is the picture itself.
    return (0..<count).dropFirst().compactMap { index in
      let position = start + index * MultiPicture.entryByteCount
      guard let byteCount = number(position + 4), let offset = number(position + 8), offset > 0 else { return nil }
      return tiffRange(header, offset, byteCount)
    }
  }

  private static func tiffRange(_ header: JPEGHeader, _ offset: Int, _ byteCount: Int) -> Range<Int>? {
    header.multiPicture.map { $0.lowerBound + offset..<$0.lowerBound + offset + byteCount }
  }

  /// The files that follow the picture, as its XMP packet lists them.
  private static func containerItems(_ header: JPEGHeader, in file: UnsafeRawBufferPointer) -> [Range<Int>] {
    guard let xmp = header.xmp, var segments = JPEGSegments(file) else { return [] }
    var end: Int?
    while end == nil, let segment = segments.next() {
      if segment.marker == JPEGSegments.endOfImage { end = segment.range.upperBound }
    }
    guard var start = end else { return [] }
    var ranges: [Range<Int>] = []
    for item in XMPPacket(Bytes(file)[xmp].data).containerItems where item.semantic != "Primary" {
      guard item.byteCount > 0, item.byteCount <= file.count - start else { break }
      if item.semantic == "GainMap" { ranges.append(start..<start + item.byteCount) }
      start += item.byteCount
    }
    return ranges
  }

  var encoded: EncodedGainMap {
    EncodedGainMap(size: header.size, isGrey: header.colorModel == .grey, parameters: parameters, kind: kind)
  }
}

/// The index of a file with several images (CIPA DC-007).
enum MultiPicture {
  /// Precedes the TIFF header of the index in its segment.
  static let prefix = Array("MPF\0".utf8)
  static let entriesTag = 0xB002
  static let entryByteCount = 16
  /// The bytes of ``index(of:and:from:)``.
  static let indexByteCount = 8 + 2 + 3 * 12 + 4 + 2 * entryByteCount

  /// The index of a picture and a second image behind it.
  ///
  /// - Parameters:
  ///   - position: The position of the index in the file.
  static func index(of byteCount: Int, and otherByteCount: Int, from position: Int) -> Data {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var data = Data("MM\0*".utf8) + bytes(8, 4) + bytes(3, 2)
    data += bytes(0xB000, 2) + bytes(7, 2) + bytes(4, 4) + Array("0100".utf8)
    data += bytes(0xB001, 2) + bytes(4, 2) + bytes(1, 4) + bytes(2, 4)
    data += bytes(entriesTag, 2) + bytes(7, 2) + bytes(2 * entryByteCount, 4) + bytes(50, 4) + bytes(0, 4)
    // The primary image, then one without dependent images.
    data += bytes(0x03_0000, 4) + bytes(byteCount, 4) + bytes(0, 8)
    return data + bytes(0, 4) + bytes(otherByteCount, 4) + bytes(byteCount - position, 4) + bytes(0, 4)
  }
}
