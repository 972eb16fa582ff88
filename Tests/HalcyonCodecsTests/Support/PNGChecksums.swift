import Foundation

/// Recomputes the checksums of a PNG file whose chunks were changed.
enum PNGChecksums {
  /// The repaired file, or the file itself if it is not a PNG.
  static func repaired(_ file: Data) -> Data {
    guard file.starts(with: [0x89, 0x50]) else { return file }
    var bytes = [UInt8](file)
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 8 + length
      guard end + 4 <= bytes.count else { break }
      let sum = FileSurgery.checksum(Array(bytes[offset + 4..<end]))
      bytes.replaceSubrange(end..<end + 4, with: FileSurgery.bytes(Int(sum), count: 4))
      offset = end + 4
    }
    return Data(bytes)
  }
}
