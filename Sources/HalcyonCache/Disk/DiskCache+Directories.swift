public import Foundation

extension DiskCache {
  /// ``directory(named:)`` with the name `default`.
  public static var defaultDirectory: URL { directory(named: "default") }

  /// `halcyon/`, the name of the program and `name` in the system's folder for caches, which is `$XDG_CACHE_HOME` or
  /// `~/.cache` on Linux.
  ///
  /// The program is named by its bundle identifier, or else by its executable file. Characters other than ASCII letters,
  /// digits, `-`, `_` and `.` are replaced by `-`, also a `.` at the start. Programs with different names share no
  /// folder; for a folder shared by several programs, or by programs whose executables have the same name, pass a
  /// directory of your own to ``init(directory:configuration:time:)``.
  public static func directory(named name: String) -> URL {
    cachesDirectory.appending(path: "halcyon/\(programFolder)/\(name)", directoryHint: .isDirectory)
  }

  private static let programFolder = folderName(
    program: Bundle.main.bundleIdentifier ?? Bundle.main.executableURL?.lastPathComponent ?? "")

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
    if let path = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    #endif
    return FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
  }
}
