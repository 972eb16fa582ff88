extension UInt8 {
  package var isASCIIDigit: Bool { (48...57).contains(self) }

  package var isASCIILetter: Bool { (97...122).contains(self | 0x20) }

  package var isASCIILetterOrDigit: Bool { isASCIIDigit || isASCIILetter }

  package var isHexadecimalDigit: Bool { isASCIIDigit || (97...102).contains(self | 0x20) }
}
