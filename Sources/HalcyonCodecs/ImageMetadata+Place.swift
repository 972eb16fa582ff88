public import Foundation
public import HalcyonImaging

extension ImageMetadata {
  /// A file whose metadata does not say where it was made: coordinates in Exif and XMP, and the properties of XMP and the
  /// records of the IPTC (in JPEG) for cities, countries and other places, are overwritten. All other bytes stay, for JPEG,
  /// PNG and WebP, but packets of XMP and resources of Photoshop that are damaged are overwritten whole, and extended
  /// packets of XMP (in JPEG) that name a property of a place. Places that titles, captions, keywords and the notes of a
  /// camera's maker name stay.
  ///
  /// - Returns: `nil` for a file in another format, or whose metadata is compressed, in UTF-16, or in a second packet of PNG
  ///   or WebP or one that is too large.
  /// - Throws: ``ImageDecodingError`` if this build does not read the format, or the file ends too early.
  @_spi(Programs) public static func removedPlace(from file: Data) throws -> Data? {
    let decoder = try StandardCodecs.decoder(of: file)
    guard let info = try decoder.probe(file, isComplete: true) else {
      throw ImageDecodingError.truncated(decoder.formats.first ?? .jpeg)
    }
    guard [.jpeg, .png, .webp].contains(info.format) else { return nil }
    let metadata = try decoder.metadata(of: file)
    guard info.format == .jpeg || packetCount(of: file, info.format) == (metadata.xmp == nil ? 0 : 1) else {
      return nil
    }
    var result = [UInt8](file)
    // Directories of a hostile file may share their values, each as long as the file.
    var budget = 4 * file.count + 1 << 16
    // Smaller pictures behind the first have Exif data of their own.
    let prefix = Data(JPEGHeader.exifPrefix)
    var start = file.startIndex
    while info.format == .jpeg, let found = file[start...].firstRange(of: prefix) {
      ExifData.blankPlace(in: &result, at: found.upperBound - file.startIndex, &budget)
      guard budget >= 0 else { return nil }
      start = found.upperBound
    }
    if let exif = metadata.exif.flatMap({ file.firstRange(of: $0) }) {
      ExifData.blankPlace(in: &result, at: exif.lowerBound - file.startIndex, &budget)
      guard budget >= 0 else { return nil }
    }
    if info.format == .jpeg {
      JPEGSegments.blankPlaces(in: &result)
    } else if let xmp = metadata.xmp.flatMap({ file.firstRange(of: $0) }) {
      XMPPacket.blankPlace(in: &result, at: xmp.lowerBound - file.startIndex..<xmp.upperBound - file.startIndex)
    }
    if info.format == .png { PNGChunks.updateChecksums(of: &result) }
    let changed = Data(result)
    let rest = try decoder.metadata(of: changed)
    return rest.hasLocation || rest.xmp.map { XMPPacket($0).hasPlace } ?? false ? nil : changed
  }

  /// The texts of PNG with XMP, and with what ImageMagick stores of a JPEG file as hexadecimal text.
  private static let packetKeywords = [
    "XML:com.adobe.xmp\0", "Raw profile type iptc\0", "Raw profile type 8bim\0", "Raw profile type xmp\0",
  ]

  /// The number of chunks of a PNG or WebP file that may have names of places.
  private static func packetCount(of file: Data, _ format: ImageFormat) -> Int {
    file.withUnsafeBytes { buffer in
      let bytes = Bytes(buffer)
      var (pngChunks, webpChunks, count) = (PNGChunks(bytes), WebPChunks(bytes), 0)
      while format == .webp, let chunk = webpChunks.next() { count += chunk.name == "XMP " ? 1 : 0 }
      while format == .png, let chunk = pngChunks.next() {
        let content = bytes[chunk.content]
        let isPacket = packetKeywords.contains { content.starts(with: $0.utf8) }
        count += isPacket && ["iTXt", "tEXt", "zTXt"].contains(chunk.name) ? 1 : 0
      }
      return count
    }
  }
}

extension ExifData {
  /// The bytes of a value of each type, from 1 to 12.
  private static let valueByteCounts = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

  /// Overwrites the directory of the place, and its entry in the first directory, which moves the entries behind it.
  ///
  /// - Parameter budget: The bytes that may still be read and overwritten; below 0, not all were.
  fileprivate static func blankPlace(in file: inout [UInt8], at start: Int, _ budget: inout Int) {
    let ranges = file.withUnsafeBytes { buffer -> (entry: Int, end: Int, blanks: [Range<Int>])? in
      guard let exif = ExifData(Bytes(UnsafeRawBufferPointer(rebasing: buffer[start...]))),
        let count = exif.number(exif.directory, 2)
      else { return nil }
      budget -= 12 * count
      guard let entry = exif.entry(Tag.locationDirectory, in: exif.directory) else { return nil }
      return (entry, exif.directory + 2 + 12 * count + 4, exif.placeRanges)
    }
    guard let ranges, start + ranges.end <= file.count else { return }
    budget -= ranges.blanks.reduce(0) { $0 + $1.count }
    guard budget >= 0 else { return }
    for range in ranges.blanks where start + range.upperBound <= file.count {
      for index in range { file[start + index] = 0 }
    }
    file.replaceSubrange(
      start + ranges.entry..<start + ranges.end,
      with: Array(file[start + ranges.entry + 12..<start + ranges.end]) + [UInt8](repeating: 0, count: 12))
    let count = file.withUnsafeBytes { buffer in
      ExifData(Bytes(UnsafeRawBufferPointer(rebasing: buffer[start...]))).flatMap { exif in
        exif.number(exif.directory, 2).map { (exif.directory, $0 - 1, exif.isLittleEndian) }
      }
    }
    guard let (directory, entryCount, isLittleEndian) = count else { return }
    let (low, high) = (UInt8(truncatingIfNeeded: entryCount), UInt8(truncatingIfNeeded: entryCount >> 8))
    (file[start + directory], file[start + directory + 1]) = isLittleEndian ? (low, high) : (high, low)
  }

  /// Where the directory of the place and its values are.
  private var placeRanges: [Range<Int>] {
    guard let place = subdirectory(Tag.locationDirectory, in: directory), let count = number(place, 2) else {
      return []
    }
    let values = (0..<count).compactMap { index -> Range<Int>? in
      let entry = place + 2 + 12 * index
      guard let type = number(entry + 2, 2), Self.valueByteCounts.indices.contains(type - 1),
        let valueCount = number(entry + 4, 4), valueCount <= bytes.count, let position = number(entry + 8, 4)
      else { return nil }
      let byteCount = valueCount * Self.valueByteCounts[type - 1]
      return byteCount > 4 && position <= bytes.count - byteCount ? position..<position + byteCount : nil
    }
    return values + [place..<max(place, min(place + 2 + 12 * count, bytes.count))]
  }

  private func number(_ offset: Int, _ byteCount: Int) -> Int? {
    byteCount == 2
      ? bytes.unsigned16(at: offset, littleEndian: isLittleEndian)
      : bytes.unsigned32(at: offset, littleEndian: isLittleEndian)
  }
}

extension XMPPacket {
  fileprivate var hasPlace: Bool { places.contains(where: \.name.isOfPhotograph) }

  /// Overwrites the properties of the place by spaces, or a packet that is damaged, of which others may read more.
  fileprivate static func blankPlace(in file: inout [UInt8], at range: Range<Int>) {
    let packet = XMPPacket(Data(file[range]))
    // In UTF-16 the places are others.
    guard !packet.isWellFormed || packet.data.count == range.count else { return }
    let places = packet.isWellFormed ? packet.places.filter(\.name.isOfPhotograph).map(\.range) : [0..<range.count]
    for index in places.joined() { file[range.lowerBound + index] = UInt8(ascii: " ") }
  }
}

extension XMPName {
  /// Whether it says where a photograph was made, or which place it shows.
  fileprivate var isOfPhotograph: Bool {
    switch namespace {
    case .exif: local.hasPrefix("GPS")
    case .drone: local.hasPrefix("Gps")
    case .photoshop: ["City", "State", "Country"].contains(local)
    case .iptcCore: ["Location", "CountryCode"].contains(local)
    case .iptcExtension: ["LocationCreated", "LocationShown"].contains(local)
    default: false
    }
  }
}

extension JPEGSegments {
  /// Overwrites the place in XMP and in the resources of Photoshop, those of smaller pictures behind the first one, too.
  fileprivate static func blankPlaces(in file: inout [UInt8]) {
    for xmp in contents(0xE1, JPEGHeader.xmpPrefix, in: file) { XMPPacket.blankPlace(in: &file, at: xmp) }
    // A packet of more than 64 KB continues in further segments, each behind an identifier, its length and its offset.
    let extensions = contents(0xE1, Array("http://ns.adobe.com/xmp/extension/\0".utf8), in: file)
      .map { min($0.lowerBound + 40, $0.upperBound)..<$0.upperBound }
    let text = Data(extensions.flatMap { file[$0] })
    if [":GPS", ":Gps", ":City", ":State", ":Country", ":Location"].contains(where: {
      text.firstRange(of: $0.utf8) != nil
    }) {
      for index in extensions.joined() { file[index] = UInt8(ascii: " ") }
    }
    for range in contents(0xED, PhotoshopResources.prefix, in: file) {
      let blanked = file.withUnsafeBytes { PhotoshopResources.blankedPlace(Bytes($0)[range]) }
      file.replaceSubrange(range, with: blanked)
    }
  }

  /// Where segments are that have a marker and a prefix, without the prefix.
  private static func contents(_ marker: UInt8, _ prefix: [UInt8], in file: [UInt8]) -> [Range<Int>] {
    file.withUnsafeBytes { buffer in
      let bytes = Bytes(buffer)
      var (ranges, offset) = ([Range<Int>](), 0)
      while let found = bytes.position(of: prefix, from: offset) {
        offset = found + prefix.count
        guard bytes[found - 4] == 0xFF, bytes[found - 3] == marker, let length = bytes.unsigned16(at: found - 2) else {
          continue
        }
        let end = max(offset, min(found - 2 + length, bytes.count))
        ranges.append(offset..<end)
        offset = end
      }
      return ranges
    }
  }
}

extension PNGChunks {
  /// Writes the checksums of chunks whose contents have changed.
  fileprivate static func updateChecksums(of file: inout [UInt8]) {
    let checksums = file.withUnsafeBytes { buffer in
      var chunks = PNGChunks(Bytes(buffer))
      var checksums: [(offset: Int, bytes: Data)] = []
      while let chunk = chunks.next() {
        guard ["eXIf", "iTXt"].contains(chunk.name) else { continue }
        let body = UnsafeRawBufferPointer(rebasing: buffer[chunk.content.lowerBound - 4..<chunk.content.upperBound])
        checksums.append((chunk.content.upperBound, Data(bigEndian: PNGChunk.checksum(body), count: 4)))
      }
      return checksums
    }
    for (offset, bytes) in checksums { file.replaceSubrange(offset..<offset + 4, with: bytes) }
  }
}
