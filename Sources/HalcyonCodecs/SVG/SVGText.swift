#if SVG
import Foundation

/// The beginning of a drawing as bytes of UTF-8, whatever of Unicode's encodings it is in.
enum SVGText {
  /// - Parameter byteLimit: As many bytes are looked at. A tag that opens a drawing ends before the first megabyte does.
  static func bytes(of file: UnsafeRawBufferPointer, byteLimit: Int = 1 << 20) -> [UInt8] {
    let head = Array(file.prefix(byteLimit))
    switch (head.first, head.dropFirst().first) {
    case (0xFF, 0xFE), (0x3C, 0x00): return utf8(head) { UInt16($0) | UInt16($1) << 8 }
    case (0xFE, 0xFF), (0x00, 0x3C): return utf8(head) { UInt16($0) << 8 | UInt16($1) }
    default: return head
    }
  }

  private static func utf8(_ head: [UInt8], unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
    let units = stride(from: 0, to: head.count - 1, by: 2).map { unit(head[$0], head[$0 + 1]) }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
#endif
