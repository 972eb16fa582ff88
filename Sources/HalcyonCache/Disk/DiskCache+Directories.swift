public import Foundation
import HalcyonSupport

extension DiskCache {
  /// ``directory(named:)`` with the name `default`.
  public static var defaultDirectory: URL { directory(named: "default") }

  /// `halcyon/`, the name of the program and `name` in the system's folder for caches, which is `$XDG_CACHE_HOME` or
  /// `~/.cache` on Linux.
  ///
  /// The program is named by its bundle identifier, or else by its executable file. Characters other than ASCII letters,
  /// digits, `-`, `_` and `.` are replaced by `-`, also a `.` at the start. `name` is one path component: `/`, `%` and a
  /// zero byte are percent-encoded, so are the names `.` and `..`; the empty name becomes `%`. Programs with different names share no
  /// folder; for a folder shared by several programs, or by programs whose executables have the same name, pass a
  /// directory of your own to ``init(directory:configuration:time:)``.
  public static func directory(named name: String) -> URL {
    cachesDirectory.appending(path: "halcyon/\(programFolder)/\(folderName(name))", directoryHint: .isDirectory)
  }

  private static let programFolder = folderName(
    program: Bundle.main.bundleIdentifier ?? Bundle.main.executableURL?.lastPathComponent ?? "")

  /// The folder name of a cache. Different names have different folders.
  static func folderName(_ name: String) -> String {
    guard !name.utf8.isEmpty else { return "%" }
    let isDots = name.utf8.count <= 2 && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    // By bytes: a slash with a combining mark is another `Character`, and still ends a path component.
    let bytes = name.utf8.flatMap { byte -> [UInt8] in
      let isEncoded = [0, UInt8(ascii: "/"), UInt8(ascii: "%")].contains(byte) || isDots
      return isEncoded ? Array("%\([byte].hexadecimal.uppercased())".utf8) : [byte]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The folder name of a program.
  static func folderName(program: String) -> String {
    let characters = program.prefix(128).map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character)) ? character : "-"
    }
    guard let first = characters.first else { return "program" }
    return (first == "." ? "-" : String(first)) + String(characters.dropFirst())
  }

  private static var cachesDirectory: URL {
    #if !canImport(Darwin)
    // The XDG Base Directory Specification says to ignore relative paths.
    if let path = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], path.utf8.first == UInt8(ascii: "/") {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    #endif
    return FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
  }
}
