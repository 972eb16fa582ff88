import Foundation
import HalcyonSupport

/// The bytes in a `data:` URL (RFC 2397), as browsers read it (https://fetch.spec.whatwg.org, 6).
enum DataURL {
  /// Decodes on a worker: megabytes of base64 would keep a cooperative thread busy for too long.
  static func data(of text: String, on workers: WorkerPool) async throws(ImageError) -> Data {
    do {
      return try await workers.run { _ in try decode(text) }
    } catch let error as ImageError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  static func decode(_ url: String) throws(ImageError) -> Data {
    let bytes = Array(url.utf8.drop { $0 <= 0x20 }.prefix { $0 != UInt8(ascii: "#") })
    guard bytes.starts(with: "data:".utf8, by: { $0 | 0x20 == $1 | 0x20 }),
      let comma = bytes.firstIndex(of: UInt8(ascii: ","))
    else { throw .invalidDataURL(reason: "there is no comma after the type") }
    let data = percentDecoded(bytes[(comma + 1)...])
    guard isBase64(bytes[..<comma]) else { return data }
    guard let decoded = Data(base64Encoded: padded(data)) else {
      throw .invalidDataURL(reason: "the data after the comma is not base64")
    }
    return decoded
  }

  /// Whether the last parameter of a type is `base64`, with spaces anywhere around it.
  private static func isBase64(_ type: ArraySlice<UInt8>) -> Bool {
    guard let semicolon = type.lastIndex(of: UInt8(ascii: ";")) else { return false }
    let parameter = type[(semicolon + 1)...].filter { $0 > 0x20 }
    return parameter.map { $0 | 0x20 } == Array("base64".utf8).map { $0 | 0x20 }
  }

  /// A percent sign that begins no escape stands for itself.
  private static func percentDecoded(_ text: ArraySlice<UInt8>) -> Data {
    var bytes = Data(capacity: text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let escaped = text[index] == UInt8(ascii: "%") ? text[index...].dropFirst().prefix(2) : []
      if escaped.count == 2, let value = UInt8(String(decoding: escaped, as: UTF8.self), radix: 16),
        !escaped.contains(UInt8(ascii: "+"))
      {
        bytes.append(value)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }

  /// Lenient base64: white space and padding are ignored, and the URL-safe alphabet is accepted.
  private static func padded(_ text: Data) -> Data {
    var symbols = text.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: " "), 9, 10, 12, 13: nil
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while symbols.count % 4 != 0 { symbols.append(UInt8(ascii: "=")) }
    return Data(symbols)
  }
}
