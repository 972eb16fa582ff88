import ArgumentParser
import Foundation
import Halcyon

/// The image that an argument names: a URL, the path of a file, or `-` for standard input.
enum SourceArgument {
  /// The source of a request.
  ///
  /// - Parameter byteLimit: The most bytes of standard input.
  /// - Throws: ``InputError`` for a path that names no file, and for standard input that cannot be read.
  static func source(_ text: String, byteLimit: Int) async throws -> ImageSource {
    if text == StandardInput.argument {
      return .data(try await StandardInput.read(byteLimit: byteLimit), key: StandardInput.title)
    }
    if isURL(text) { return .string(text) }
    _ = try InputFile.status(text)
    return .string(fileURL(text))
  }

  static func isURL(_ text: String) -> Bool { afterScheme(of: text) != nil }

  /// The rest of a URL after its scheme and colon; `nil` for a path.
  static func afterScheme(of text: String) -> Substring.UTF8View? {
    let scheme = text.utf8.prefix { byte in
      let character = Character(Unicode.Scalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "+-.".utf8.contains(byte))
    }
    let rest = text.utf8[scheme.endIndex...]
    guard !scheme.isEmpty, rest.first == UInt8(ascii: ":") else { return nil }
    let isURL = rest.dropFirst().starts(with: "//".utf8) || Substring(scheme).lowercased() == "data"
    return isURL ? rest.dropFirst() : nil
  }

  /// The `file` URL of a path, in which all bytes that are not plain letters, digits and slashes are encoded.
  static func fileURL(_ path: String) -> String {
    path.absolutePath.fileNameBytes.reduce(into: "file://") { url, byte in
      let character = Character(Unicode.Scalar(byte))
      if byte < 0x80, character.isLetter || character.isNumber || "/-._~".utf8.contains(byte) {
        url.append(character)
      } else {
        url += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// The URL of a folder, whose name has to be UTF-8.
  static func folderURL(_ path: String) throws -> URL {
    if path.isEmpty { throw ValidationError("--cache-dir is empty. In a script, check that the variable is set.") }
    guard path.isUnicodeFileName else {
      throw ValidationError("The name of the folder \(path) is not UTF-8, which a cache needs. Rename it.")
    }
    return URL(filePath: path, directoryHint: .isDirectory)
  }
}
