import Foundation
import Synchronization
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.unitTest)
struct OutputFileTests {
  private let data = Data("new".utf8)

  private func mode(_ path: String) -> mode_t { stat(ofPath: path, followsLinks: false)?.st_mode ?? 0 }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    try await TemporaryDirectory.run { try await body($0.path()) }
  }

  private func contents(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  @Test func `an existing file stays unless it may be overwritten, and then keeps its permissions`() async throws {
    try await withFolder { folder in
      let path = folder + "/a.png"
      try OutputFile.write(data, to: path, overwrites: false)
      #expect(chmod(path, 0o705) == 0)
      let error = #expect(throws: OutputError.self) { try OutputFile.write(Data(), to: path, overwrites: false) }
      #expect(
        error?.description == "\(path) exists. Replace it with --overwrite, or choose another path with --output.")
      #expect(try contents(path) == "new")
      try OutputFile.write(Data("newer".utf8), to: path, overwrites: true)
      #expect(try contents(path) == "newer")
      #expect(mode(path) == S_IFREG | 0o705)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.png"])
    }
  }

  @Test func `a new file has the permissions of the process`() async throws {
    try await withFolder { folder in
      let reference = open(folder + "/reference", O_CREAT | O_WRONLY, 0o666)
      close(reference)
      try OutputFile.write(data, to: folder + "/a.png", overwrites: false)
      #expect(mode(folder + "/a.png") == mode(folder + "/reference"))
    }
  }

  @Test(arguments: [true, false])
  func `a symbolic link stays, and its target is written only if it may be overwritten`(exists: Bool) async throws {
    try await withFolder { folder in
      let (link, target) = (folder + "/link.png", folder + "/target.png")
      if exists { try OutputFile.write(Data("old".utf8), to: target, overwrites: false) }
      #expect(symlink("target.png", link) == 0)
      #expect(throws: OutputError.self) { try OutputFile.check(link, overwrites: false) }
      #expect(throws: OutputError.self) { try OutputFile.write(data, toNamed: link, overwrites: false) }
      try OutputFile.write(data, toNamed: link, overwrites: true)
      #expect(mode(link) & S_IFMT == S_IFLNK)
      #expect(try contents(target) == "new")
    }
  }

  @Test(arguments: [true, false])
  func `a pipe that an option names gets the bytes and stays`(throughLink: Bool) async throws {
    try await withFolder { folder in
      let (pipe, link) = (folder + "/pipe", folder + "/link")
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(symlink("pipe", link) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      // It needs no extension.
      let target = try OutputTarget(throughLink ? link : pipe)
      if case .file(_, nil) = target {} else { Issue.record("\(target)") }
      try OutputFile.write(data, toNamed: throughLink ? link : pipe, overwrites: false)
      var bytes = [UInt8](repeating: 0, count: 9)
      #expect(read(reader, &bytes, bytes.count) == data.count)
      #expect(bytes.starts(with: data))
      #expect(mode(pipe) == S_IFIFO | 0o600)
      #expect(mode(link) & S_IFMT == S_IFLNK)
      // A name that a URL chose is not one that an option names.
      #expect(throws: OutputError.self) { try OutputFile.write(data, to: pipe, overwrites: false) }
    }
  }

  #if os(Linux)
  @Test(arguments: [true, false])
  func `a device stays a device`(overwrites: Bool) async throws {
    try await withFolder { folder in
      let device = folder + "/null"
      // The null device under another name, which only root may create.
      guard mknod(device, S_IFCHR | 0o666, dev_t(1 << 8 | 3)) == 0, open(device, O_WRONLY) >= 0 else { return }
      let before = mode(device)
      try OutputFile.write(data, toNamed: device, overwrites: overwrites)
      #expect(mode(device) == before)
      #expect(mode(device) & S_IFMT == S_IFCHR)
    }
  }
  #endif

  @Test func `a socket is an error that names it`() async throws {
    try await withFolder { folder in
      let path = folder + "/s"
      try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
      let error = #expect(throws: OutputError.self) { try OutputFile.write(data, toNamed: path, overwrites: true) }
      #expect(error?.description.hasPrefix("\(path) cannot be written: ") == true)
      #expect(mode(path) & S_IFMT == S_IFSOCK)
    }
  }

  @Test func `threads create the same folders at the same time`() async throws {
    try await TemporaryDirectory.run { folder in
      for round in 0..<100 {
        let path = folder.path() + "\(round)/a/b/c"
        let errors = Mutex<[OutputError]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
          do throws(OutputError) { try OutputFile.createFolder(path) } catch { errors.withLock { $0.append(error) } }
        }
        #expect(errors.withLock { "\($0)" } == "[]")
        #expect(OutputFile.isFolder(path))
      }
    }
  }

  @Test func `a name need not be UTF-8`() async throws {
    try await withFolder { folder in
      let path = String(fileName: Array("\(folder)/caf".utf8) + [0xE9])
      try OutputFile.createFolder(path + "/in")
      for _ in 1...2 { try OutputFile.write(data, to: path + "/in/a.png", overwrites: true) }
      var input = try FolderNames(folder)
      #expect(input.next()?.name.fileNameBytes == Array("caf".utf8) + [0xE9])
      input = try FolderNames(path + "/in")
      #expect(input.next()?.name == "a.png")
      #expect(input.next() == nil)
      // Foundation does not find it for its removal.
      unlink((path + "/in/a.png").cPath)
      rmdir((path + "/in").cPath)
      rmdir(path.cPath)
    }
  }
}

@Suite(.unitTest)
struct InputFileTests {
  @Test func `what is not a file is an error that names it, and nothing waits`() async throws {
    try await TemporaryDirectory.run { folder in
      let paths = ["pipe", "socket", "link"].map { folder.path() + "/" + $0 }
      try #require(mkfifo(paths[0], 0o600) == 0 && mknod(paths[1], S_IFSOCK | 0o600, 0) == 0)
      try #require(symlink("pipe", paths[2]) == 0)
      for (path, kind) in zip(paths + [folder.path()], ["a pipe", "a socket", "a pipe", "a folder"]) {
        let error = #expect(throws: InputError.self) { _ = try InputFile(path) }
        #expect(error?.description.hasPrefix("\(path) is \(kind), not a file.") == true)
      }
    }
  }
}
