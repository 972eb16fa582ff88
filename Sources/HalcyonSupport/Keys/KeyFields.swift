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
    appendStart(of: name, valueCount: value.utf8.count)
    append(value)
  }

  /// Appends a field with a size, for example `fit 400x300`. A `String` of it takes longer than the rest of a key.
  package mutating func append(_ name: StaticString, _ kind: StaticString, width: Int, height: Int) {
    appendStart(of: name, valueCount: kind.utf8CodeUnitCount + Self.digits(width) + Self.digits(height) + 2)
    append(kind)
    append(" ")
    append(width)
    append("x")
    append(height)
  }

  /// Appends the fields of another key.
  package mutating func append(_ key: CacheKey) { append(key.text) }

  private mutating func appendStart(of name: StaticString, valueCount: Int) {
    append("|" as StaticString)
    append(name)
    append("=" as StaticString)
    append(valueCount)
    append(":" as StaticString)
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  private mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a number in decimal digits.
  private mutating func append(_ number: Int) {
    let count = Self.digits(number)
    guard number >= 0, heap.isEmpty, count <= stack.count - stackCount else { return append(String(number)) }
    var rest = number
    for index in stride(from: stackCount + count - 1, through: stackCount, by: -1) {
      stack.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    stackCount += count
  }

  /// The length of a number in decimal digits, with its sign.
  private static func digits(_ number: Int) -> Int {
    var (count, rest) = (number < 0 ? 2 : 1, number.magnitude / 10)
    while rest > 0 { (count, rest) = (count + 1, rest / 10) }
    return count
  }

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard heap.isEmpty, bytes.count <= stack.count - stackCount, let target = stack.baseAddress else {
      return appendToHeap(bytes)
    }
    guard let source = bytes.baseAddress else { return }
    (target + stackCount).initialize(from: source, count: bytes.count)
    stackCount += bytes.count
  }

  @inline(never)
  private mutating func appendToHeap(_ bytes: UnsafeBufferPointer<UInt8>) {
    if heap.isEmpty { heap = Array(stack[..<stackCount]) }
    heap.append(contentsOf: bytes)
  }
}
