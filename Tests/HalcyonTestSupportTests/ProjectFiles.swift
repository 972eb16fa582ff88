import Foundation

/// The files of the project.
enum ProjectFiles {
  /// The folder of the project.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

  /// The text of a file, given by its path in the project.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appending(path: path), encoding: .utf8)
  }

  /// The public properties of each type, without static ones.
  static var publicProperties: [String: [String]] {
    get throws {
      try text("Scripts/public-api.txt").matches(of: /(\w+)\.(\w+): (?:@\w+ )*var\b/).reduce(into: [:]) {
        members, match in
        members[String(match.1), default: []].append(String(match.2))
      }
    }
  }
}
