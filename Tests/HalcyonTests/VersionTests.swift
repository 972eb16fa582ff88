import HalcyonSupport
import Foundation
import Halcyon
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct VersionTests {
  @Test func `the version is that of the newest changelog heading`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
    // “## 0.1.0 (unreleased)” or “## 0.1.0 (2026-01-31)”.
    #expect(heading.dropFirst(3).prefix { $0 != " " } == HalcyonVersion.current)
  }

  @Test func `the default User-Agent contains the version`() {
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    #expect(pipeline.configuration.headers["User-Agent"] == "Halcyon/\(HalcyonVersion.current)")
  }
}
