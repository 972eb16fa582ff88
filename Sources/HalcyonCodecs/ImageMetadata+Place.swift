public import Foundation
public import HalcyonImaging

extension ImageMetadata {
  /// A file whose metadata does not say where it was made: coordinates, and what else belongs to them in Exif and XMP, are
  /// overwritten. All other bytes stay, for JPEG, PNG and WebP. Names of places that a person has written stay, too.
  ///
  /// - Returns: `nil` for a file in another format, or whose metadata is compressed.
  /// - Throws: ``ImageDecodingError`` if this build does not read the format, or the file ends too early.
  @_spi(Programs) public static func removedPlace(from file: Data) throws -> Data? {
    let decoder = try StandardCodecs.decoder(of: file)
    guard let info = try decoder.probe(file, isComplete: true) else {
      throw ImageDecodingError.truncated(decoder.formats.first ?? .jpeg)
    }
    guard [.jpeg, .png, .webp].contains(info.format) else { return nil }
    let metadata = try decoder.metadata(of: file)
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
    if let xmp = metadata.xmp, let found = file.firstRange(of: xmp) {
      XMPPacket.blankPlace(in: &result, at: found.lowerBound - file.startIndex, count: xmp.count)
    }
    if info.format == .png { PNGChunks.updateChecksums(of: &result) }
    let changed = Data(result)
    return try decoder.metadata(of: changed).hasLocation ? nil : changed
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
  /// Overwrites the properties of the place by spaces.
  fileprivate static func blankPlace(in file: inout [UInt8], at start: Int, count: Int) {
    let packet = XMPPacket(Data(file[start..<start + count]))
    // In UTF-16 the places are others.
    guard packet.data.count == count else { return }
    for place in packet.places where place.name.namespace == .exif && place.name.local.hasPrefix("GPS") {
      for index in place.range { file[start + index] = UInt8(ascii: " ") }
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
