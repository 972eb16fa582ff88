extension Sequence<UInt8> {
  /// Two lowercase hexadecimal digits for each byte.
  package var hexadecimal: String {
    let digits: StaticString = "0123456789abcdef"
    let digit = { (value: UInt8) in digits.utf8Start[Int(value)] }
    return String(decoding: flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
  }
}
