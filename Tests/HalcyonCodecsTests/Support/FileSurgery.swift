import Foundation

/// Edits of encoded files, to produce files that no encoder writes.
enum FileSurgery {
  /// Big-endian bytes.
  static func bytes(_ value: Int, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// Exif data with an orientation as the only entry.
  static func exif(orientation: Int) -> [UInt8] {
    Array("MM".utf8) + bytes(42, count: 2) + bytes(8, count: 4) + bytes(1, count: 2) + bytes(0x0112, count: 2)
      + bytes(3, count: 2) + bytes(1, count: 4) + bytes(orientation, count: 2) + bytes(0, count: 2)
      + bytes(0, count: 4)
  }

  /// Exif data with an orientation, and a thumbnail in its second directory.
  static func exif(orientation: Int, thumbnail: Data) -> [UInt8] {
    var data: [UInt8] = exif(orientation: orientation).dropLast(4)
    data += bytes(26, count: 4)
    data += bytes(2, count: 2)
    for (tag, value) in [(0x0201, 56), (0x0202, thumbnail.count)] {
      data += bytes(tag, count: 2)
      data += bytes(4, count: 2)
      data += bytes(1, count: 4)
      data += bytes(value, count: 4)
    }
    data += bytes(0, count: 4)
    return data + Array(thumbnail)
  }

  /// A JPEG file with a segment inserted after its SOI marker.
  static func jpeg(_ file: Data, inserting marker: UInt8, _ content: [UInt8]) -> Data {
    insert([0xFF, marker] + bytes(content.count + 2, count: 2) + content, at: 2, of: file)
  }

  static func jpeg(_ file: Data, orientation: Int) -> Data {
    jpeg(file, inserting: 0xE1, Array("Exif\0\0".utf8) + exif(orientation: orientation))
  }

  /// A JPEG file with its baseline frame header changed in place, at `offset` from its marker.
  static func jpeg(_ file: Data, frameByte offset: Int, _ values: [UInt8]) -> Data {
    var file = file
    guard let frame = file.firstRange(of: Data([0xFF, 0xC0, 0x00, 0x11])) else { return file }
    file.replaceSubrange(frame.lowerBound + offset..<frame.lowerBound + offset + values.count, with: values)
    return file
  }

  /// A PNG file with a chunk inserted after its IHDR chunk.
  static func png(_ file: Data, inserting type: String, _ content: [UInt8]) -> Data {
    let body = Array(type.utf8) + content
    let chunk = bytes(content.count, count: 4) + body + bytes(Int(checksum(body)), count: 4)
    return insert(chunk, at: 33, of: file)
  }

  private static func insert(_ bytes: [UInt8], at offset: Int, of file: Data) -> Data {
    var file = file
    file.insert(contentsOf: bytes, at: file.startIndex + offset)
    return file
  }

  /// The CRC-32 of PNG chunks (ISO 3309).
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
