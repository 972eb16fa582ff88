import Foundation

extension String {
  /// Whether the text is one or more ASCII digits and nothing else (`1*DIGIT` in RFC 9110).
  package var isASCIIDigits: Bool { !isEmpty && utf8.allSatisfy { (48...57).contains($0) } }

  /// Whether the texts are equal apart from the case of ASCII letters.
  package func isEqualIgnoringCase(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Compares bytes when both texts are contiguous UTF-8, which is nearly always.
    let fast = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        left.indices.allSatisfy { left[$0] == right[$0] || left[$0].lowered == right[$0].lowered }
      }
    }
    return (fast ?? nil) ?? zip(utf8, other.utf8).allSatisfy { $0.lowered == $1.lowered }
  }

  /// Whether the UTF-8 of the text contains this byte; searches contiguous memory if possible.
  package func hasByte(_ byte: UInt8) -> Bool {
    let fast = utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
    }
    return fast ?? utf8.contains(byte)
  }
}

extension UInt8 {
  fileprivate var lowered: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}
