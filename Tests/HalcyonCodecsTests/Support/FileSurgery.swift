import Foundation
import HalcyonImaging

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

  /// A grey JPEG file with the codes 0 for no difference of a block's mean to the one before, 10 for one of four bits, and 0 for the
  /// end of a block. A difference of 1 is a level.
  static func greyJPEG(_ size: PixelSize, scan: Data, restartInterval: Int = 0) -> Data {
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker] + bytes(content.count + 2, count: 2) + content
    }
    func table(_ id: UInt8, _ values: [UInt8]) -> [UInt8] {
      [id] + values.map { _ in 1 } + [UInt8](repeating: 0, count: 16 - values.count) + values
    }
    let frame = [8] + bytes(size.height, count: 2) + bytes(size.width, count: 2)
    var file = Data([0xFF, 0xD8]) + segment(0xDB, [0] + [UInt8](repeating: 8, count: 64))
    file += segment(0xC0, frame + [1, 1, 0x11, 0])
    file += segment(0xC4, table(0, [0, 4]))
    file += segment(0xC4, table(0x10, [0]))
    if restartInterval > 0 { file += segment(0xDD, bytes(restartInterval, count: 2)) }
    return file + segment(0xDA, [1, 1, 0, 0, 63, 0]) + scan + [0xFF, 0xD9]
  }

  /// The bytes that ``large(jpeg:)`` adds.
  static let largeByteCount = 4 + 16_384

  /// A JPEG file with a comment, which is not so small that libjpeg decodes it whatever is needed of it.
  static func large(jpeg file: Data) -> Data {
    jpeg(file, inserting: 0xFE, [UInt8](repeating: 0, count: largeByteCount - 4))
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
