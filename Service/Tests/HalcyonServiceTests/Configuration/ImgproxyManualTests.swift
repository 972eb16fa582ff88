import Foundation
import HalcyonProcessing
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct ImgproxyManualTests {
  private let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "imgproxy.md")

  @Test func `the manual has the tables of the variables and options`() throws {
    let manual = try String(contentsOf: file, encoding: .utf8)
    let updated = ImgproxyManual.updated(manual)
    #expect(updated.contains("| `KEY`") && updated.contains("| `resize`"))
    if ProcessInfo.processInfo.environment["HALCYON_WRITE_MANUAL"] != nil {
      try Data(updated.utf8).write(to: file)
    } else {
      #expect(manual == updated, "Run make imgproxy-manual.")
    }
  }

  @Test func `every variable of imgproxy is in the table once`() {
    for name in ImgproxyNames.variables + ImgproxyNames.commercialVariables {
      #expect(ImgproxyVariables.byName[name] != nil, "\(name) is missing.")
    }
    #expect(ImgproxyVariables.byName.count == ImgproxyVariables.table.count)
    for (old, new) in ImgproxyVariables.aliases { #expect(ImgproxyVariables.byName[new] != nil, "\(old)") }
  }

  @Test func `every option of imgproxy is in the table, and is known unless that says otherwise`() throws {
    var notes: [String: String] = [:]
    for (names, note) in ImgproxyManual.options {
      for name in names.split(separator: " ") { notes[String(name)] = note }
    }
    for name in ImgproxyNames.options + ImgproxyNames.commercialOptions {
      let note = try #require(notes[name], "\(name) is missing.")
      do throws(OptionError) {
        _ = try OptionParser(acceptsLimits: true).options(["\(name):"])
        #expect(!note.hasPrefix("*missing*"), "\(name)")
      } catch {
        #expect((error == .unknownOption(name)) == note.hasPrefix("*missing*"), "\(name): \(error)")
      }
    }
  }
}
