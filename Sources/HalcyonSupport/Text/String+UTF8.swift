extension String {
  /// The text of bytes, or `nil` if they are not valid UTF-8; `String(validating:as:)` needs iOS 18.
  package init?(validUTF8 bytes: some Collection<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Invalid bytes have been replaced.
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}
