/// The fields of a cache key while the key is made.
///
/// Bytes on the stack, and in an array once they no longer fit: each look-up in memory makes a key, which then allocates
/// only its text. Appending to a `String` takes three times as long.
package struct KeyFields: ~Copyable {
  private static let stackByteCount = 1024

  private let stack: UnsafeMutableBufferPointer<UInt8>
  private var stackCount = 0
  /// All bytes, if they do not fit on the stack.
  private var heap: [UInt8] = []

  /// The key with the fields that `append` appends.
  package static func key(_ append: (inout KeyFields) -> Void) -> CacheKey {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: stackByteCount) { stack in
      var fields = KeyFields(stack: stack)
      append(&fields)
      return CacheKey(fields.text)
    }
  }

  private init(stack: UnsafeMutableBufferPointer<UInt8>) {
    self.stack = stack
  }

  /// The length so far, in bytes of UTF-8.
  package var count: Int { heap.isEmpty ? stackCount : heap.count }

  private var text: String {
    guard heap.isEmpty else { return String(decoding: heap, as: UTF8.self) }
    return String(decoding: UnsafeBufferPointer(rebasing: stack[..<stackCount]), as: UTF8.self)
  }

  /// Appends a field.
  package mutating func append(_ name: StaticString, _ value: String) {
    append("|")
    append(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    append("=")
    append(String(value.utf8.count))
    append(":")
    append(value)
  }

  /// Appends the fields of another key.
  package mutating func append(_ key: CacheKey) { append(key.text) }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    if heap.isEmpty, bytes.count <= stack.count - stackCount {
      _ = stack[stackCount...].initialize(fromContentsOf: bytes)
      stackCount += bytes.count
    } else {
      if heap.isEmpty { heap = Array(stack[..<stackCount]) }
      heap.append(contentsOf: bytes)
    }
  }
}
