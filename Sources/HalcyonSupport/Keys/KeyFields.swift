/// The fields of a cache key while the key is made.
///
/// An array of bytes, since each look-up in memory makes a key, and appending to a `String` takes three times as long.
package struct KeyFields {
  private var bytes: [UInt8] = []

  /// - Parameter capacity: The expected length, in bytes of UTF-8.
  package init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  /// The length so far, in bytes of UTF-8.
  package var count: Int { bytes.count }

  /// Appends a field.
  package mutating func append(_ name: StaticString, _ value: String) {
    bytes.append(UInt8(ascii: "|"))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "="))
    bytes.append(contentsOf: String(value.utf8.count).utf8)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: value.utf8)
  }

  /// Appends the fields of another key.
  package mutating func append(_ key: CacheKey) {
    bytes.append(contentsOf: key.text.utf8)
  }

  /// The key with these fields.
  package var key: CacheKey { CacheKey(String(decoding: bytes, as: UTF8.self)) }
}
