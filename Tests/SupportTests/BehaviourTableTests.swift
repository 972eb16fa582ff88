import Foundation
import Testing

/// Checks `Tests/BEHAVIOURS.md` against the tests.
@Suite(.timeLimit(.minutes(10)))
struct BehaviourTableTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  @Test func `every test named in the behaviour table exists`() throws {
    let known = try Self.tests()
    let named = try Self.namedTests()
    #expect(named.count > 100)
    let missing = named.filter { !known.contains($0) }
    #expect(missing == [], "The behaviour table names tests that do not exist.")
  }

  /// The tests in the last column of the tables, as `Suite: sentence`; `<br>` separates several.
  private static func namedTests() throws -> [String] {
    let table = try String(contentsOf: folder.appending(path: "BEHAVIOURS.md"), encoding: .utf8)
    return table.split(separator: "\n").flatMap { line -> [String] in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let isRow = line.hasPrefix("| ") && cells.count == 2 && cells[0] != "Behaviour" && !cells[0].hasPrefix("---")
      guard isRow else { return [] }
      return cells[1].components(separatedBy: "<br>")
    }
  }

  /// All tests, as `Suite: sentence`; the suite is the name of the file.
  private static func tests() throws -> Set<String> {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var tests: Set<String> = []
    for case let file as URL in try #require(files) where file.lastPathComponent.hasSuffix("Tests.swift") {
      let text = try String(contentsOf: file, encoding: .utf8)
      let suite = file.deletingPathExtension().lastPathComponent
      for match in text.matches(of: /func `([^`]+)`/) { tests.insert("\(suite): \(match.1)") }
    }
    return tests
  }
}
