import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.unitTest)
struct SourceFilesTests {
  @Test(
    arguments: [
      // Names are in the order of their bytes, which is not that of composed letters.
      (
        ["in/c/e.jpg", "in"], [], true,
        ["in/c/e.jpg", "in/b/d.jpg", "in/c/e.jpg", "in/c/e\u{301}.jpg", "in/c/f.jpg"]
      ),
      // A link to a file is one; the folder of the output is none that is skipped.
      ([""], [], false, ["a.jpg", "skipped folder", "link.jpg"]),
      (
        ["*.jpg", "missing/*.jpg", "none*"], [], false,
        ["a.jpg", "link.jpg", "unmatched missing/*.jpg", "unmatched none*"]
      ),
      ([], ["", "*.jpg", "", "a.jpg"], false, ["unreadable *.jpg", "a.jpg"]),
    ] as [([String], [String], Bool, [String])])
  func `files are found in the order of sources and folders, and patterns without a file are named`(
    named: [String], listed: [String], isRecursive: Bool, expected: [String]
  ) async throws {
    try await withFolders { sources, output async throws in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "in/b/d.jpg", "in/c/e.jpg", "out/f.jpg"])
      try writePhoto("rocket.jpg", to: sources, as: ["in/c/e\u{301}.jpg", "in/c/f.jpg"])
      try FileManager.default.createSymbolicLink(
        atPath: sources.path() + "link.jpg", withDestinationPath: sources.path() + "a.jpg")
      let lines = output.appending(path: "list")
      try Data(listed.map { $0.isEmpty ? "" : sources.path() + $0 }.joined(separator: "\n").utf8).write(to: lines)
      var files = SourceFiles(
        named.map { sources.path() + $0 }, list: try LineReader(lines.path()), isRecursive: isRecursive,
        isNumbered: true, excluding: sources.path() + "out")
      var items: [String] = []
      while items.count < 9, let item = files.next() {
        let (kind, path): (String, String) =
          switch item {
          case .file(let file): ("", file.path)
          case .unreadable(let path, _): ("unreadable ", path)
          case .unmatched(let pattern): ("unmatched ", pattern)
          case .danglingLink: ("dangling link", "")
          case .skippedFolder: ("skipped folder", "")
          }
        items.append(kind + path.replacing(sources.path(), with: ""))
      }
      #expect(items == expected)
    }
  }

  @Test(
    arguments: [
      ("a\r\n\r\n\nb\nc\r", false, ["a", "b", "c"]), ("a\r\0\0b\n\0c\r", true, ["a\r", "b\n", "c\r"]),
    ] as [(String, Bool, [String])])
  func `a name ends at a line break, also one of Windows, or at a null byte and nothing else`(
    text: String, isNullSeparated: Bool, names: [String]
  ) async throws {
    try await withFolders { _, output async throws in
      let list = output.appending(path: "list")
      try Data(text.utf8).write(to: list)
      let lines = try LineReader(list.path(), isNullSeparated: isNullSeparated)
      var read: [String] = []
      while read.count < 9, let name = try lines.next() { read.append(name) }
      #expect(read == names)
    }
  }

  @Test func `a list of many folders without a file needs no more stack than one of them`() async throws {
    try await withFolders { sources, output async throws in
      let lines = output.appending(path: "list")
      try Data((String(repeating: sources.path() + "\n", count: 30_000) + "none.jpg").utf8).write(to: lines)
      var files = SourceFiles([], list: try LineReader(lines.path()), isRecursive: false, excluding: nil)
      guard case .unreadable("none.jpg", _) = files.next() else {
        Issue.record("a folder without a file has one")
        return
      }
      #expect(files.next() == nil)
    }
  }
}
