import Foundation
import Testing

/// Keeps `Tests/BEHAVIOURS.md` true.
struct BehaviourTableTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  @Test func `every test that the table of behaviours names exists`() throws {
    let known = try Self.tests()
    let named = try Self.namedTests()
    #expect(named.count > 100)
    let missing = named.filter { !known.contains($0) }
    #expect(missing == [], "The table names tests that do not exist.")
  }

  /// What the last column of the tables holds: `Suite: sentence`, several with breaks between them.
  private static func namedTests() throws -> [String] {
    let table = try String(contentsOf: folder.appending(path: "BEHAVIOURS.md"), encoding: .utf8)
    return table.split(separator: "\n").flatMap { line -> [String] in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let isRow = line.hasPrefix("| ") && cells.count == 2 && cells[0] != "Behaviour" && !cells[0].hasPrefix("---")
      guard isRow else { return [] }
      return cells[1].components(separatedBy: "<br>")
    }
  }

  /// All tests, as `Suite: sentence`; a suite is known by its file.
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
