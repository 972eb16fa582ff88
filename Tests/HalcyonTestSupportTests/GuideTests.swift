import Foundation
import HalcyonTestTraits
import Testing

/// Checks the guides and the README against the public API and the examples. `Scripts/check-snippets` compiles them.
@Suite(.integrationTest)
struct GuideTests {
  private static let guides = "Sources/Halcyon/Halcyon.docc/"

  @Test func `the start page names every public type`() throws {
    let list = try ProjectFiles.text("Scripts/public-api.txt")
    let types = list.matches(of: #/(?m)^(\w+): (?:@\w+ |final |indirect )*(?:struct|class|enum|protocol|actor) /#)
    let page = try ProjectFiles.text(Self.guides + "Halcyon.md")
    let named = Set(page.matches(of: #/(?m)^- ``(\w+)``$/#).map(\.1))
    #expect(types.count > 150)
    #expect(Set(types.map(\.1)).subtracting(named) == [], "types that Halcyon.md names in no topic group")
  }

  @Test func `the start page lists every guide`() throws {
    let folder = ProjectFiles.folder.appending(path: Self.guides)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    let guides = files.filter { $0.hasSuffix(".md") && $0 != "Halcyon.md" }.map { $0.dropLast(3) }
    let page = try ProjectFiles.text(Self.guides + "Halcyon.md")
    #expect(guides.filter { !page.contains("- <doc:\($0)>") } == [])
  }

  @Test func `the guide on configuring has every member of the configuration`() throws {
    let members = try #require(ProjectFiles.publicProperties["PipelineConfiguration"])
    let guide = try ProjectFiles.text(Self.guides + "Configuring.md")
    #expect(members.count > 20)
    #expect(members.filter { !guide.contains("| `\($0)` |") } == [])
  }

  @Test func `the list in the GTK guide is the example`() throws {
    let example = try ProjectFiles.text("Examples/Sources/halcyon-list/Main.swift")
    #expect(try ProjectFiles.text(Self.guides + "GTK.md").contains("```swift\n\(example)```"))
  }

  @Test func `the middleware in the guide on serving is the example, and has at most 60 lines`() throws {
    let example = try ProjectFiles.text("Examples/ThumbnailServer/Sources/ThumbnailMiddleware.swift")
    #expect(try ProjectFiles.text(Self.guides + "Serving.md").contains("```swift\n\(example)```"))
    #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
  }

  @Test func `no task is longer in Halcyon than in Nuke or Kingfisher`() throws {
    let guide = try ProjectFiles.text(Self.guides + "Migration.md")
    let tasks = try #require(guide.components(separatedBy: "\n## ").first { $0.hasPrefix("Twelve tasks") })
      .components(separatedBy: "\n### ").dropFirst()
    #expect(tasks.count == 12)
    for task in tasks {
      let lengths = task.matches(of: #/(?s)```swift\n(.*?)\n```/#).map { $0.1.split(separator: "\n").count }
      let peers = try #require(lengths.dropFirst().min(), "no peer in: \(task)")
      #expect(try #require(lengths.first) <= peers, "\(task)")
    }
  }

  @Test(arguments: ["retry", "ETag", "resume", "SSRF", "ThumbHash", "downsampling", "LRU"])
  func `the README has the words that newcomers search for`(_ word: String) throws {
    #expect(try ProjectFiles.text("README.md").range(of: word, options: .caseInsensitive) != nil)
  }

  @Test(arguments: ["halcyon-list", "halcyon-thumbnailer", "ThumbnailServer"])
  func `an example has fewer than 150 lines`(_ name: String) throws {
    let folder = ProjectFiles.folder.appending(path: "Examples")
    let path = name == "ThumbnailServer" ? "\(name)/Sources" : "Sources/\(name)"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path())
    let lines = try files.map { try ProjectFiles.text("Examples/\(path)/\($0)").components(separatedBy: "\n").count }
    #expect(lines.reduce(0, +) < 150)
  }
}
