public import Foundation
import HalcyonSupport

extension DiskCache {
  /// ``directory(named:)`` with the name `default`.
  public static var defaultDirectory: URL { directory(named: "default") }

  /// `halcyon/`, the name of the program and `name` in the system's folder for caches: on Linux the first of
  /// `$CACHE_DIRECTORY`, which systemd sets for a service, `$XDG_CACHE_HOME`, `$HOME/.cache`, and `.cache` in the home
  /// folder of the user database.
  ///
  /// The program is named by its bundle identifier, or else by its executable file. Characters other than ASCII letters,
  /// digits, `-`, `_` and `.` are replaced by `-`, also a `.` at the start. `name` is one path component: `/`, `%` and a
  /// zero byte are percent-encoded, so are the names `.` and `..`; the empty name becomes `%`. Of a name over 255 bytes the end
  /// is replaced by a hash. Programs with different names share no
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
    return shortened(String(decoding: bytes, as: UTF8.self))
  }

  /// A name that file systems accept: the end of one over 255 bytes is replaced by a hash of all of it.
  static func shortened(_ name: String) -> String {
    guard name.utf8.count > 255 else { return name }
    // Two percent signs are in no encoded name.
    return String(decoding: name.utf8.prefix(200), as: UTF8.self) + "%%" + KeyDigest(name).hexadecimal
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
    if let path = cachesPath(ProcessInfo.processInfo.environment, home: homeOfUserDatabase()) {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    #endif
    return FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
  }
  #if !canImport(Darwin)
  /// The folder for caches; `nil` if nothing names one. Relative paths are ignored, as the XDG Base Directory
  /// Specification says.
  static func cachesPath(_ environment: [String: String], home: String?) -> String? {
    func absolute(_ path: some StringProtocol) -> String? { path.utf8.first == UInt8(ascii: "/") ? String(path) : nil }
    // systemd separates several directories by colons (systemd.exec, CacheDirectory).
    let service = environment["CACHE_DIRECTORY"]?.split(separator: ":").first.flatMap { absolute($0) }
    return service ?? environment["XDG_CACHE_HOME"].flatMap { absolute($0) }
      ?? (environment["HOME"].flatMap { absolute($0) } ?? home).map { $0 + "/.cache" }
  }

  /// The home folder of this process's user.
  private static func homeOfUserDatabase() -> String? {
    var (record, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      guard let start = buffer.baseAddress, getpwuid_r(getuid(), &record, start, buffer.count, &found) == 0,
        found != nil, let home = record.pw_dir
      else { return nil }
      return String(cString: home)
    }
  }
  #endif
}
