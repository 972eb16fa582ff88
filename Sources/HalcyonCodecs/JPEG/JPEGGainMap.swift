import Foundation
import HalcyonImaging

/// The gain map of a JPEG file: a second JPEG behind the picture, with the parameters of its samples.
struct JPEGGainMap {
  /// The most pictures of a file that are examined.
  private static let imageLimit = 16

  /// The map's file inside the file.
  let range: Range<Int>
  let header: JPEGHeader
  let kind: GainMapKind
  /// `nil` if they are out of range, or the map's file has no end.
  private let parameters: GainMap.Parameters?

  /// The gain map of a whole file; `nil` if it has none, or several.
  ///
  /// Looked for in the order of libultrahdr, since programs that edit metadata leave old positions: where the multi-picture
  /// index says, where the XMP packet says, then anywhere behind the picture.
  ///
  /// - Parameter header: The header of the picture.
  static func find(_ header: JPEGHeader, in file: UnsafeRawBufferPointer) -> JPEGGainMap? {
    let bytes = Bytes(file)
    let indexed = indexedPlaces(header, in: bytes).prefix(imageLimit).compactMap { places in
      places.lazy.compactMap { JPEGGainMap(at: $0, of: header, in: bytes) }.first
    }
    if !indexed.isEmpty { return indexed.count == 1 ? indexed[0] : nil }
    guard let end = end(ofPictureAt: 0, in: bytes) else { return nil }
    let listed = listedPlaces(header, from: end, in: bytes).compactMap { JPEGGainMap(at: $0, of: header, in: bytes) }
    if !listed.isEmpty { return listed.count == 1 ? listed[0] : nil }
    return first(from: end, of: header, in: bytes)
  }

  /// How the map is applied; `nil` if it cannot belong to the picture.
  ///
  /// - Parameter whole: The header of the picture.
  func encoded(for whole: JPEGHeader, limits: ImageLimits) -> EncodedGainMap? {
    guard let parameters, header.colorModel != .cmyk else { return nil }
    let map = EncodedGainMap(
      size: header.size, isGrey: header.colorModel == .grey, parameters: parameters, kind: kind)
    return map.fits(whole.size, limits, .jpeg, isInRows: whole.isInRows) ? map : nil
  }

  /// `nil` unless a picture that is marked as a gain map begins at `start`.
  private init?(at start: Int, of whole: JPEGHeader, in file: Bytes) {
    guard start > 0, start < file.count else { return nil }
    let bytes = file[start..<file.count]
    guard Self.isPicture(bytes), let header = try? JPEGHeaderParser.parse(bytes) else { return nil }
    let iso = header.iso.map { bytes[$0] }
    let packet = header.xmp.map { XMPPacket(bytes[$0].data) }
    let parameters: GainMap.Parameters?
    if let iso = iso.flatMap({ GainMap.Parameters(iso: $0) }) {
      (kind, parameters) = (.iso, iso)
    } else if let packet, packet.marksGainMap {
      (kind, parameters) = (.xmp, GainMap.Parameters(packet))
    } else if let packet, packet.value(.appleMap, "HDRGainMapVersion") != nil {
      (kind, parameters) = (.apple, GainMap.Parameters(apple: packet, headroom: whole.appleHeadroom))
    } else if let iso, iso.count > GainMap.Parameters.isoVersion.count {
      (kind, parameters) = (.iso, nil)
    } else {
      return nil
    }
    let end = Self.end(ofPictureAt: start, in: file)
    range = start..<(end ?? file.count)
    self.parameters = end == nil ? nil : parameters
    self.header = header
  }

  /// The places of the further images of a multi-picture file (CIPA DC-007). Their offsets count from the TIFF header of
  /// the index, but some programs count from the start of the file.
  private static func indexedPlaces(_ header: JPEGHeader, in file: Bytes) -> [[Int]] {
    guard let index = header.multiPicture, let tiff = ExifData(file[index]),
      let entry = tiff.entry(MultiPicture.entriesTag, in: tiff.directory)
    else { return [] }
    func number(_ offset: Int) -> Int? { tiff.bytes.unsigned32(at: offset, littleEndian: tiff.isLittleEndian) }
    guard let byteCount = number(entry + 4), let start = number(entry + 8) else { return [] }
    let count = min(byteCount / MultiPicture.entryByteCount, imageLimit)
    // The first is the picture itself.
    return (0..<count).dropFirst().compactMap { image in
      guard let offset = number(start + image * MultiPicture.entryByteCount + 8), offset > 0 else { return nil }
      return [index.lowerBound + offset, offset]
    }
  }

  /// The places of gain maps in the list of files of the XMP packet.
  ///
  /// - Parameter end: The end of the picture, which the other files follow.
  private static func listedPlaces(_ header: JPEGHeader, from end: Int, in file: Bytes) -> [Int] {
    guard let xmp = header.xmp else { return [] }
    var (places, start) = ([Int](), end)
    for fields in XMPPacket(file[xmp].data).files {
      let isPicture = fields["Semantic"] == "Primary"
      let length = isPicture ? 0 : fields["Length"].flatMap(Int.init) ?? 0
      let padding = fields["Padding"].flatMap(Int.init) ?? 0
      guard isPicture || length > 0, length <= file.count - start, (0...file.count).contains(padding) else { break }
      if fields["Semantic"] == "GainMap" { places.append(start) }
      start += length + padding
    }
    return places
  }

  /// The first gain map behind the picture.
  private static func first(from end: Int, of header: JPEGHeader, in file: Bytes) -> JPEGGainMap? {
    var offset = end
    for _ in 0..<imageLimit {
      guard let start = file.position(of: [0xFF, 0xD8, 0xFF], from: offset) else { return nil }
      if let map = JPEGGainMap(at: start, of: header, in: file) { return map }
      let end = isPicture(file[start..<file.count]) ? self.end(ofPictureAt: start, in: file) : nil
      offset = end ?? start + 1
    }
    return nil
  }

  /// Whether segments follow each other from the first bytes to a scan: the bytes of a film, for example, can look like the
  /// start of a picture.
  private static func isPicture(_ bytes: Bytes) -> Bool {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
    var offset = 2
    while bytes[offset] == 0xFF, let marker = bytes[offset + 1],
      (0xC0...0xCF).contains(marker) || (0xDA...0xFE).contains(marker),
      let length = bytes.unsigned16(at: offset + 2), length >= 2
    {
      if marker == JPEGSegments.startOfScan { return true }
      offset += 2 + length
    }
    return false
  }

  private static func end(ofPictureAt start: Int, in file: Bytes) -> Int? {
    JPEGSegments.end(of: file[start..<file.count].buffer).map { start + $0 }
  }
}

extension JPEGHeader {
  /// The properties of the picture in a whole file, some of which only the map tells.
  ///
  /// - Parameter map: The map, if it was looked for.
  func info(with map: JPEGGainMap?) -> ImageInfo {
    var info = info
    guard let map, info.dynamicRange == .standard else { return info }
    info.dynamicRange = .gainMap(map.kind, headroom: nil)
    info.droppedContent.insert(.gainMap)
    return info
  }

  /// The gain map of a whole file, if the header only hints at one.
  func hiddenGainMap(in file: UnsafeRawBufferPointer) -> JPEGGainMap? {
    hintsAtGainMap && info.dynamicRange == .standard ? JPEGGainMap.find(self, in: file) : nil
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
