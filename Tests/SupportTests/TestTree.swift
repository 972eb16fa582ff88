import Foundation
import Testing

/// What the files of the project say of its tests and its options.
enum TestTree {
  /// The folder `Tests`.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  /// The folder of the project.
  static let project = folder.deletingLastPathComponent()

  /// The text of a file, given by its path in the project.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: project.appending(path: path), encoding: .utf8)
  }

  /// All tests, as `Suite: sentence`; the suite is the name of the file.
  static var tests: Set<String> {
    get throws {
      var tests: Set<String> = []
      for folder in [folder, project.appending(path: "Tools/Tests")] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where file.lastPathComponent.hasSuffix("Tests.swift") {
          let text = try String(contentsOf: file, encoding: .utf8)
          let suite = file.deletingPathExtension().lastPathComponent
          for match in text.matches(of: /func `([^`]+)`/) { tests.insert("\(suite): \(match.1)") }
        }
      }
      return tests
    }
  }

  /// The public properties of each type, without static ones.
  static var publicProperties: [String: [String]] {
    get throws {
      let list = try String(contentsOf: project.appending(path: "Scripts/public-api.txt"), encoding: .utf8)
      return list.matches(of: /(\w+)\.(\w+): (?:@\w+ )*var\b/).reduce(into: [:]) { members, match in
        members[String(match.1), default: []].append(String(match.2))
      }
    }
  }

  /// The comments of the properties of requests, their options and the options of views, by name.
  static var optionComments: [String: String] {
    get throws {
      let files = [
        "Pipeline/Requests/RequestOptions", "Pipeline/Requests/RequestHook", "Pipeline/Requests/ImageRequest",
        "Views/ImageViewOptions",
      ]
      var comments: [String: String] = [:]
      for file in files {
        let url = project.appending(path: "Sources/Halcyon\(file).swift")
        var comment: [String] = []
        for line in try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n") {
          if let match = line.wholeMatch(of: /\s*\/\/\/ ?(.*)/) {
            comment.append(String(match.1))
          } else {
            if let match = line.firstMatch(of: /public var (\w+)/) {
              comments[String(match.1), default: ""] += comment.joined(separator: " ") + " "
            }
            comment = []
          }
        }
      }
      return comments
    }
  }
}
