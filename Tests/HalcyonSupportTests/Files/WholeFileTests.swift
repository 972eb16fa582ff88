import Foundation
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct WholeFileTests {
  private let data = Data("new".utf8)

  private func mode(_ file: URL) -> mode_t {
    var status = stat()
    return lstat(file.path(percentEncoded: false), &status) == 0 ? status.st_mode : 0
  }

  /// The text of a file, or why it is not read.
  private func text(_ file: URL, byteLimit: Int) -> String {
    do {
      return String(decoding: try Data(wholeFile: file, byteLimit: byteLimit), as: UTF8.self)
    } catch {
      return "\(error)"
    }
  }

  @Test func `a regular file is read up to a limit, and nothing else is`() async throws {
    try await TemporaryDirectory.run { folder in
      let (file, pipe) = (folder.appending(path: "a b.png"), folder.appending(path: "pipe.png"))
      try data.write(to: file)
      try #require(mkfifo(pipe.path(), 0o600) == 0)
      #expect(text(file, byteLimit: 3) == "new")
      #expect(text(file, byteLimit: 2) == "tooLarge(byteCount: 3)")
      #expect(text(folder, byteLimit: 3) == "unreadable(code: \(EISDIR))")
      #expect(text(pipe, byteLimit: 3) == "unreadable(code: \(ESPIPE))")
    }
  }

  @Test func `a file that is replaced keeps its permissions, and nothing else is left in the folder`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a.png")
      try data.writeWhole(to: file)
      #expect(try Data(contentsOf: file) == data)
      chmod(file.path(), 0o640)
      try Data("newer".utf8).writeWhole(to: file)
      #expect(try Data(contentsOf: file) == Data("newer".utf8))
      #expect(mode(file) == S_IFREG | 0o640)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["a.png"])
    }
  }

  @Test(arguments: [true, false])
  func `a symbolic link stays, and its target gets the bytes`(exists: Bool) async throws {
    try await TemporaryDirectory.run { folder in
      let (link, target) = (folder.appending(path: "link.png"), folder.appending(path: "target.png"))
      if exists { try Data("old".utf8).write(to: target) }
      try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "target.png")
      try data.writeWhole(to: link)
      #expect(mode(link) & S_IFMT == S_IFLNK)
      #expect(try Data(contentsOf: target) == data)
    }
  }

  @Test func `a pipe stays, and its reader gets the bytes`() async throws {
    try await TemporaryDirectory.run { folder in
      let pipe = folder.appending(path: "pipe.png")
      try #require(mkfifo(pipe.path(), 0o600) == 0)
      let reader = open(pipe.path(), O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      try data.writeWhole(to: pipe)
      var bytes = [UInt8](repeating: 0, count: 9)
      #expect(read(reader, &bytes, bytes.count) == data.count)
      #expect(bytes.starts(with: data))
      #expect(mode(pipe) & S_IFMT == S_IFIFO)
    }
  }
}
