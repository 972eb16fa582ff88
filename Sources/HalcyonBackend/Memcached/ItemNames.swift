#if canImport(CHalcyonMemcached)
import Foundation
import HalcyonCache
import HalcyonSupport

/// The names of the items that a store uses, which memcached limits to 250 bytes without spaces.
struct ItemNames: Sendable {
  /// The items of one entry, all on one server.
  struct Items: Sendable {
    /// Selects the server.
    let group: String
    let namespace: String
    let source: String
    let value: String

    var all: [String] { [namespace, source, value] }
  }

  /// The item with the generation of the namespace, one on each server.
  let namespace: String
  private let prefix: String

  init(namespace: String) { (prefix, self.namespace) = (namespace, namespace + ":g") }

  static func isValid(namespace: String) -> Bool {
    (1...64).contains(namespace.utf8.count)
      && namespace.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
  }

  /// The item with the generation of a source.
  func source(_ source: String) -> String { "\(prefix):s:\(KeyDigest(source).hexadecimal)" }

  /// The items of an entry, whose value is of this version's format; the generations are the same for all. The key is the source of one that belongs to no request.
  func items(of key: CacheKey) -> Items {
    let source = source(key.source?.text ?? key.text)
    return Items(
      group: source, namespace: namespace, source: source,
      value: "\(prefix):e\(SharedEntry.format):\(key.digest.hexadecimal)")
  }
}

/// A random number that entries carry. Removing or replacing it invalidates them.
struct Generation {
  let number: UInt64

  static func random() -> Generation { Generation(number: .random(in: 1...UInt64.max)) }

  private init(number: UInt64) { self.number = number }

  /// `nil` unless the bytes are such a number.
  init?(_ data: Data) {
    guard data.count <= 16, let number = UInt64(String(decoding: data, as: UTF8.self), radix: 16), number > 0 else {
      return nil
    }
    self.number = number
  }

  var data: Data { Data(String(number, radix: 16).utf8) }
}
#endif
