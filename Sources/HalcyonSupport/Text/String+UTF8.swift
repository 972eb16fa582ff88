import Foundation

extension String {
  /// The text of bytes, or `nil` if they are not valid UTF-8; `String(validating:as:)` needs iOS 18.
  package init?(validUTF8 bytes: some Collection<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Invalid bytes have been replaced.
    guard utf8.elementsEqual(bytes) else { return nil }
  }

  /// Whether the bytes are the same. Equal texts may differ in their bytes, such as `é` and `e` with a combining mark.
  @_spi(Programs) public func hasSameBytes(as other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
          return left.count == right.count
        }
        return memcmp(start, other, left.count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
