import Foundation
import HalcyonSupport

/// The bytes in a `data:` URL (RFC 2397).
enum DataURL {
  /// Decodes on a worker: megabytes of base64 would keep a cooperative thread busy for too long.
  static func decode(_ text: String, on workers: WorkerPool) async throws(ImageError) -> Data {
    do {
      return try await workers.run { _ in try decode(text) }
    } catch let error as ImageError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  static func decode(_ url: String) throws(ImageError) -> Data {
    guard url.prefix(5).lowercased() == "data:", let comma = url.firstIndex(of: ",") else {
      throw .invalidDataURL(reason: "there is no comma after the type")
    }
    let parameters = url[url.index(url.startIndex, offsetBy: 5)..<comma].split(separator: ";")
    guard let bytes = percentDecoded(url[url.index(after: comma)...].utf8) else {
      throw .invalidDataURL(reason: "a percent sign is not followed by two hexadecimal digits")
    }
    guard parameters.last?.lowercased() == "base64" else { return bytes }
    guard let decoded = Data(base64Encoded: padded(bytes)) else {
      throw .invalidDataURL(reason: "the data after the comma is not base64")
    }
    return decoded
  }

  private static func percentDecoded(_ text: some Sequence<UInt8>) -> Data? {
    var bytes = Data()
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = iterator.next(), let low = iterator.next(),
        let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
    }
    return bytes
  }

  /// Lenient base64: white space is ignored, padding is added, and the URL-safe alphabet is accepted.
  private static func padded(_ text: Data) -> Data {
    var symbols = text.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: " "), 9, 10, 13: nil
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while symbols.count % 4 != 0 { symbols.append(UInt8(ascii: "=")) }
    return Data(symbols)
  }
}
