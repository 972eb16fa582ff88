import Foundation
import Testing

/// Checks `Tests/BEHAVIOURS.md` against the tests.
@Suite(.timeLimit(.minutes(10)))
struct BehaviourTableTests {
  @Test func `every test named in the behaviour table exists`() throws {
    let known = try TestTree.tests
    let named = try Self.namedTests()
    #expect(named.count > 100)
    let missing = named.filter { !known.contains($0) }
    #expect(missing == [], "The behaviour table names tests that do not exist.")
  }

  /// The tests in the last column of the tables, as `Suite: sentence`; `<br>` separates several.
  private static func namedTests() throws -> [String] {
    let table = try String(contentsOf: TestTree.folder.appending(path: "BEHAVIOURS.md"), encoding: .utf8)
    return table.split(separator: "\n").flatMap { line -> [String] in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let isRow = line.hasPrefix("| ") && cells.count == 2 && cells[0] != "Behaviour" && !cells[0].hasPrefix("---")
      guard isRow else { return [] }
      return cells[1].components(separatedBy: "<br>")
    }
  }
}
