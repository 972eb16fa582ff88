import Foundation
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct FileVersionTests {
  @Test func `the version of a file is remembered until the file is not found`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a b.png")
      let url = file.absoluteString
      #expect(FileVersions.current(of: url) == nil)
      try Data("a".utf8).write(to: file)
      #expect(FileVersions.last(of: url) == nil)
      let version = try #require(FileVersions.current(of: url))
      #expect(FileVersions.last(of: url) == version)
      try FileManager.default.removeItem(at: file)
      #expect(FileVersions.last(of: url) == version)
      #expect(FileVersions.current(of: url) == nil)
      #expect(FileVersions.last(of: url) == nil)
    }
  }
}
