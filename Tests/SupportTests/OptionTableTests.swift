import Foundation
import Testing

/// Checks the tables “Options on every path” and “Options of views” in `Tests/BEHAVIOURS.md`: every option has a cell for
/// every path, with a test that exists or a reason that its documentation states.
@Suite(.timeLimit(.minutes(10)))
struct OptionTableTests {
  private static let paths = [
    "image", "data", "info", "file", "task", "batch", "prefetch to memory", "prefetch to the store", "view", "animated",
    "stored variant", "encodedData", "`halcyon get`",
  ]
  private static let situations = ["loaded", "in memory", "stale", "failed", "grown", "visible again"]

  @Test func `every option has a row, and every row a cell for every path`() throws {
    let members = try TestTree.publicProperties
    let requests = try #require(members["RequestOptions"]).filter { $0 != "description" }
    let shortcuts = requests + ["description", "options", "source"]
    let own = try #require(members["ImageRequest"]).filter { !shortcuts.contains($0) }
    try expect(OptionTable("Options on every path"), options: requests + own, columns: Self.paths)
    let views = try #require(members["ImageViewOptions"])
    try expect(OptionTable("Options of views"), options: views, columns: Self.situations)
  }

  private func expect(_ table: OptionTable, options: [String], columns: [String]) {
    #expect(table.columns == columns)
    #expect(table.rows.map(\.option).sorted() == options.sorted())
    for row in table.rows { #expect(row.cells.count == columns.count && !row.cells.contains(""), "\(row.option)") }
  }

  @Test(arguments: ["Options on every path", "Options of views"])
  func `every cell of the option tables is a test, or a reason that the option documents`(_ title: String) throws {
    let table = try OptionTable(title)
    let tests = try TestTree.tests
    let comments = try TestTree.optionComments
    #expect(table.tests.values.filter { !tests.contains($0) } == [], "tests that do not exist")
    var used: Set<String> = []
    for row in table.rows {
      for cell in row.cells {
        let isReason = cell.hasPrefix("– ")
        let references = (isReason ? String(cell.dropFirst(2)) : cell).components(separatedBy: ", ")
        used.formUnion(references)
        for reference in references {
          guard isReason else {
            #expect(table.tests[reference] != nil, "\(row.option): \(cell)")
            continue
          }
          let reason = try #require(table.reasons[reference], "\(row.option): \(cell)")
          // A reason in quotes is a part of the comment of the option.
          guard let quote = reason.firstMatch(of: /“(.+)”/)?.1 else { continue }
          #expect(comments[row.option]?.contains(quote) == true, "\(row.option): \(quote)")
        }
      }
    }
    #expect(used == Set(table.tests.keys).union(table.reasons.keys), "each reference is used")
  }
}

/// A table of options with the lists that its cells refer to.
private struct OptionTable {
  private(set) var columns: [String] = []
  private(set) var rows: [(option: String, cells: [String])] = []
  /// The tests by number.
  private(set) var tests: [String: String] = [:]
  /// The reasons by letter.
  private(set) var reasons: [String: String] = [:]

  init(_ title: String) throws {
    let text = try String(contentsOf: TestTree.folder.appending(path: "BEHAVIOURS.md"), encoding: .utf8)
    let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix(title + "\n") }
    for line in try #require(section).components(separatedBy: "\n") {
      if let match = line.wholeMatch(of: /(\d+)\. (.+)/) {
        tests[String(match.1)] = String(match.2)
      } else if let match = line.wholeMatch(of: /- (\w): (.+)/) {
        reasons[String(match.1)] = String(match.2)
      } else if line.hasPrefix("| "), !line.hasPrefix("| ---") {
        let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        if columns.isEmpty {
          columns = Array(cells.dropFirst())
        } else {
          rows.append((cells[0].trimmingCharacters(in: ["`"]), Array(cells.dropFirst())))
        }
      }
    }
  }
}
