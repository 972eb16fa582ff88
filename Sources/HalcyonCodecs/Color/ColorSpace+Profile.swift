import Foundation
import HalcyonImaging

extension ColorSpace {
  /// The ICC profile for encoded files; `nil` for sRGB, the space of files without a profile.
  var profile: Data? {
    switch self {
    case .sRGB: nil
    case .displayP3: Self.displayP3Profile
    }
  }

  /// Made with Little CMS: the primaries of Display P3, the white point D65 and the curve of sRGB, 540 bytes.
  private static let displayP3Profile = Data(
    base64Encoded: """
      AAACHGxjbXMEMAAAbW50clJHQiBYWVogB+QAAQABAAAAAAAAYWNzcEFQUEwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPbWAAEAAAAA
      0y1sY21zAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAALZGVzYwAAAQgAAAAwY3BydAAAATgAAAAi
      d3RwdAAAAVwAAAAUY2hhZAAAAXAAAAAsclhZWgAAAZwAAAAUYlhZWgAAAbAAAAAUZ1hZWgAAAcQAAAAUclRSQwAAAdgAAAAgZ1RSQwAA
      AdgAAAAgYlRSQwAAAdgAAAAgY2hybQAAAfgAAAAkbWx1YwAAAAAAAAABAAAADGVuVVMAAAAUAAAAHABEAGkAcwBwAGwAYQB5ACAAUAAz
      bWx1YwAAAAAAAAABAAAADGVuVVMAAAAGAAAAHABDAEMAMAAAWFlaIAAAAAAAAPbWAAEAAAAA0y1zZjMyAAAAAAABDEIAAAXe///zJQAA
      B5MAAP2Q///7of///aIAAAPcAADAblhZWiAAAAAAAACD3wAAPb////+7WFlaIAAAAAAAACg4AAARCwAAyLlYWVogAAAAAAAASr8AALE3
      AAAKuXBhcmEAAAAAAAMAAAACZmYAAPKnAAANWQAAE9AAAApbY2hybQAAAAAAAwAAAACuFAAAUewAAEPXAACwpAAAJmYAAA9c
      """, options: .ignoreUnknownCharacters)
}
