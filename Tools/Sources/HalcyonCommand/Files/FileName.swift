import Foundation
import Halcyon

/// Paths and arguments as strings, although names of files are bytes that need not be UTF-8.
///
/// Each byte that is not UTF-8 becomes a private-use scalar from U+10FF80 to U+10FFFF; the four bytes of such a scalar in
/// a name are escaped in the same way, so that no two names have the same string. Files are opened with ``cPath``.
extension String {
  private static let escapes = UInt32(0x10_FF80)...0x10_FFFF

  /// The string of a name, a path or an argument.
  init(fileName bytes: [UInt8]) {
    var scalars = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var (input, offset) = (bytes.makeIterator(), 0)
    parsing: while true {
      let count: Int
      switch parser.parseScalar(from: &input) {
      case .emptyInput:
        break parsing
      case .valid(let encoded):
        count = encoded.count
        let scalar = Unicode.UTF8.decode(encoded)
        if !Self.escapes.contains(scalar.value) {
          scalars.append(scalar)
          offset += count
          continue
        }
      case .error(let length):
        count = length
      }
      scalars.append(contentsOf: bytes[offset..<offset + count].compactMap { Unicode.Scalar(0x10_FF00 | UInt32($0)) })
      offset += count
    }
    self.init(scalars)
  }

  /// The string of a name that ends with a 0.
  init(fileName pointer: UnsafePointer<CChar>) {
    self.init(fileName: UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)).map(\.self))
  }

  /// The bytes of the name.
  var fileNameBytes: [UInt8] {
    unicodeScalars.flatMap { scalar in scalar.isEscapedByte ? [UInt8(scalar.value & 0xFF)] : Array(scalar.utf8) }
  }

  /// The bytes of the path and a 0, for functions of C.
  var cPath: [CChar] { fileNameBytes.map { CChar(bitPattern: $0) } + [0] }

  /// Whether the name is UTF-8.
  var isUnicodeFileName: Bool { !unicodeScalars.contains(where: \.isEscapedByte) }
}

extension Unicode.Scalar {
  /// Whether the scalar stands for a byte that is not UTF-8.
  var isEscapedByte: Bool { (0x10_FF80...0x10_FFFF).contains(value) }
}

/// The parts of paths. A slash or dot with a combining mark is one `Character`, and still a slash or dot for the system.
extension String {
  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

  var isAbsolutePath: Bool { utf8.first == Self.slash }
  var endsWithSlash: Bool { utf8.last == Self.slash }
  var isHiddenName: Bool { utf8.first == Self.dot }

  /// The parts between slashes, without empty ones.
  var pathComponents: [String] { utf8.split(separator: Self.slash).map { String(Substring($0)) } }

  /// The last part between slashes; a slash at the end is ignored.
  var lastComponent: String { pathComponents.last ?? self }

  /// The folder of the file.
  var parentFolder: String {
    guard let end = utf8.lastIndex(of: Self.slash) else { return "." }
    return end == utf8.startIndex ? "/" : String(self[..<end])
  }

  /// The path of a folder without slashes at the end.
  var withoutEndSlashes: String {
    guard let last = utf8.lastIndex(where: { $0 != Self.slash }) else { return isAbsolutePath ? "/" : self }
    return String(self[...last])
  }

  /// A path in this folder.
  func appendingPath(_ name: String) -> String { endsWithSlash ? self + name : "\(self)/\(name)" }

  /// The name of a file before the dot of its extension, and its extension, which is empty if it has none.
  var stemAndExtension: (stem: String, fileExtension: String) {
    guard let dot = utf8.lastIndex(of: Self.dot), dot != utf8.startIndex else { return (self, "") }
    return (String(self[..<dot]), String(Substring(utf8[dot...].dropFirst())))
  }

  /// Whether files of this name are usually images.
  var hasImageExtension: Bool { ImageFormat(fileExtension: lastComponent.stemAndExtension.fileExtension) != nil }

  /// The path from the root.
  var absolutePath: String {
    if isAbsolutePath { return self }
    guard let folder = getcwd(nil, 0) else { return self }
    defer { free(folder) }
    return String(fileName: UnsafePointer(folder)).appendingPath(self)
  }

  /// The path from the root without `.` and `..`, which are resolved without looking at links.
  var standardizedPath: String {
    var parts: [String] = []
    for part in absolutePath.pathComponents where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Whether both are the same bytes; `==` also holds for another composition of the same letters.
  func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
