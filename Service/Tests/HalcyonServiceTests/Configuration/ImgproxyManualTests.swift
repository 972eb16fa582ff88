import Foundation
import HalcyonProcessing
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct ImgproxyManualTests {
  /// What imgproxy.md says of each option and variable.
  private let notes: [String: String]

  init() throws {
    let service = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let manual = try String(contentsOf: service.appending(path: "imgproxy.md"), encoding: .utf8)
    notes = manual.split(separator: "\n").reduce(into: [:]) { notes, line in
      guard let row = line.wholeMatch(of: /\| (`[^|]*`) \| (.*) \|/) else { return }
      for name in row.1.matches(of: /`(.*?)`/) { notes[String(name.1)] = String(row.2) }
    }
  }

  @Test func `every variable of imgproxy is in the manual with its effect`() throws {
    let table = ImgproxyVariables.table
    for name in Set(ImgproxyNames.variables + ImgproxyNames.commercialVariables + table.keys) {
      let note = try #require(notes[name], "\(name) is missing.")
      switch table[name] {
      case .refused(let reason): #expect(note == "*refused*: \(reason)", "\(name)")
      case .settings, .combined: #expect(!note.contains("*missing*") && !note.contains("*refused*"), "\(name)")
      case nil: #expect(note.contains("*missing*") || ImgproxyVariables.aliases[name] != nil, "\(name)")
      }
    }
    for (old, new) in ImgproxyVariables.aliases {
      #expect(notes[old] == "of imgproxy 3: `\(new)`" && table[new] != nil && table[old] == nil)
    }
  }

  @Test func `every option of imgproxy is in the manual, and is known unless that says otherwise`() throws {
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
