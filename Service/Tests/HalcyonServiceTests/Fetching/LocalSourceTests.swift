import Foundation
import Halcyon
@_spi(Programs) import HalcyonProcessing
@testable import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Sources in a local folder.
@Suite(.integrationTest)
struct LocalSourceTests {
  @Test func `a file below the folder is served, also with spaces and from a folder below`() async throws {
    try await run { service, folder in
      try Quadrants.png().write(to: folder.appending(path: "sub/my cat.png"))
      try Quadrants.png().write(to: folder.appending(path: "a\\b%2F.png"))
      for name in ["a.png", "sub/b.png", "sub/my%20cat.png", "a%5Cb%252F.png"] {
        let answer = try await service.get("/_/w:40/plain/local:///\(name)@png")
        #expect(answer.status == 200, "\(name)")
        #expect(answer.headers["Last-Modified"] != nil)
      }
    }
  }

  @Test(arguments: [
    "../secret.png", "sub/../../secret.png", "%2e%2e/secret.png", "..%2fsecret.png", "%252e%252e/secret.png",
    "link.png", "linked/secret.png", "sub", "", "/etc/passwd", "./a.png", "missing.png", "a.png/b",
    "a.png%00.jpg", "pipe.png", "up.png", "absolute.png", "loop.png", "sub/chain/secret.png", "dangling.png", "here",
  ])
  func `no path leads out of the folder or to something that is no file`(path: String) async throws {
    try await run { service, folder in
      let outside = folder.deletingLastPathComponent()
      try Quadrants.png().write(to: outside.appending(path: "secret.png"))
      let links = FileManager.default
      try links.createSymbolicLink(
        at: folder.appending(path: "link.png"), withDestinationURL: outside.appending(path: "secret.png"))
      try links.createSymbolicLink(at: folder.appending(path: "linked"), withDestinationURL: outside)
      for (name, target) in [
        ("up.png", "../secret.png"), ("absolute.png", "/etc/passwd"), ("loop.png", "loop.png"),
        ("sub/chain", "../linked"),
        ("dangling.png", "nothing.png"), ("here", "."),
      ] {
        try links.createSymbolicLink(atPath: folder.appending(path: name).path, withDestinationPath: target)
      }
      mkfifo(folder.appending(path: "pipe.png").path, 0o600)
      // In Base64 nothing between client and service normalizes the path.
      let encoded = Data("local:///\(path)".utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
      var paths = ["/_/w:40/\(encoded).png"]
      if path.contains("%") { paths.append("/_/w:40/plain/local:///\(path)@png") }
      for path in paths {
        let answer = try await service.get(path)
        #expect([400, 404].contains(answer.status), "\(answer.status)")
        #expect(!answer.text.contains(folder.path))
      }
    }
  }

  @Test func `names of files and folders need not be UTF-8`() async throws {
    try await run { service, folder in
      func moveCopy(to path: [UInt8]) throws {
        let copy = folder.appending(path: "copy.png")
        try Quadrants.png().write(to: copy)
        try #require(rename(copy.path, (Array(folder.path.utf8) + path + [0]).map { CChar(bitPattern: $0) }) == 0)
      }
      try moveCopy(to: Array("/".utf8) + [0xE9, 0x74, 0xE9] + Array(".png".utf8))
      try moveCopy(to: Array("/../".utf8) + [0xE9] + Array(".png".utf8))
      let source = "local:///%E9t%E9.png"
      for _ in 0..<2 {
        let answer = try await service.get("/_/w:40/plain/\(source)@png")
        #expect(answer.status == 200)
        #expect(
          answer.headers["Content-Disposition"]
            == "inline; filename=\"_t_.png\"; filename*=UTF-8''%EF%BF%BDt%EF%BF%BD.png")
      }
      let bytes = Data("local:///".utf8) + [0xE9, 0x74, 0xE9] + Data(".png".utf8)
      #expect(try await service.get("/info/_/\(Base64URL.encode(bytes))").status == 200)
      for other in ["%25E9t%25E9.png", "%E9t.png", "..%2F%E9.png", "%E9%2F..%2F..%2F%E9.png", "%E9t%E9.png%2F%2E."] {
        #expect(try await service.get("/_/w:40/plain/local:///\(other)@png").status == 404, "\(other)")
      }
      #expect(try await service.get("/_/w:40/plain/local:///%E9t%E9.png%00@png").status == 400)
    }
  }

  @Test(arguments: ["//sub/b.png", "sub//b.png", "///sub///b.png", "sub/b.png/", "%2Fsub%2Fb.png"])
  func `empty segments of a path mean nothing`(path: String) async throws {
    try await run { service, _ async throws in
      let isEncoded = path.contains("%")
      let encoded = Data("local:///\(path)".utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
      if !isEncoded { #expect(try await service.get("/_/w:40/\(encoded).png").status == 200) }
      #expect(try await service.get("/_/w:40/plain/local:///\(path)@png").status == 200)
    }
  }

  @Test func `links are followed as far as they stay below the folder`() async throws {
    try await run { service, folder in
      let files = FileManager.default
      try files.createDirectory(at: folder.appending(path: "sub/deep"), withIntermediateDirectories: true)
      for (name, target) in [
        ("file.png", "sub/b.png"), ("sub/deep/up.png", "../../a.png"), ("folder", "sub"), ("chain", "folder/./"),
        ("absolute", folder.path + "/sub"), ("around", "sub/../sub/deep"),
        ("sub/deep/absolute.png", folder.path + "/a.png"),
      ] {
        try files.createSymbolicLink(atPath: folder.appending(path: name).path, withDestinationPath: target)
      }
      for path in [
        "file.png", "sub/deep/up.png", "folder/b.png", "chain/b.png", "absolute/b.png", "around/up.png",
        "sub/deep/absolute.png",
      ] {
        #expect(try await service.get("/_/w:40/plain/local:///\(path)@png").status == 200, "\(path)")
      }
      // A changed target is noticed behind a link, too.
      let first = try await service.get("/_/w:40/plain/local:///file.png@png")
      try Quadrants.png(width: 60, height: 80).write(to: folder.appending(path: "sub/b.png"))
      #expect(try await service.get("/_/w:40/plain/local:///file.png@png").headers["ETag"] != first.headers["ETag"])
    }
  }

  @Test(arguments: ["local.invalid", "LOCAL.invalid", "local.invalid.", "fallback.invalid"])
  func `no redirect and no URL leads to a file`(host: String) async throws {
    try await TemporaryDirectory.run { folder in
      try Quadrants.png().write(to: folder.appending(path: "a.png"))
      try await RunningService.run {
        ($0.localRoot, $0.fallback) = (folder, folder.appending(path: "a.png"))
        ($0.showsGallery, $0.fallbackStatus) = (true, 418)
        // Also where redirects may lead to all hosts.
        $0.allowedRedirects = [SourcePattern("http://")].compactMap(\.self)
      } body: { service, origin in
        let local = LocalTransport(folder: LocalFolder(folder), host: host)
        let target = try local.url(of: [Array("a.png".utf8)]).absoluteString
        let source = origin.serve("/moved.png", .redirect(to: target))
        #expect(try await service.image("w:40", of: source).status == 403)
        #expect(try await service.get("/_/w:40/plain/\(target)@png").status == 403)
      }
    }
  }

  @Test func `a slash with a combining mark leads out of the folder no more than another`() async throws {
    try await run { service, folder in
      let outside = folder.deletingLastPathComponent()
      try Quadrants.png().write(to: outside.appending(path: "\u{301}x.png"))
      try Quadrants.png().write(to: folder.appending(path: "sub/\u{301}x.png"))
      for path in ["..%2F%CC%81x.png", "sub%2F..%2F..%2F%CC%81x.png", "..%2F\u{301}x.png", "../\u{301}x.png"] {
        #expect(await service.service.response(to: ServiceRequest(path: "/_/plain/local:///\(path)@png")).status == 404)
        let decoded = path.removingPercentEncoding ?? ""
        let encoded = Data("local:///\(decoded)".utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
        #expect(try await service.get("/_/\(encoded).png").status == 404)
      }
      #expect(try await service.get("/_/plain/local:///sub%2F%CC%81x.png@png").status == 200)
    }
  }

  @Test func `a changed file is read again, and an unchanged result comes from the cache`() async throws {
    try await run { service, folder in
      let file = folder.appending(path: "a.png")
      let path = "/_/w:40/plain/local:///a.png@png"
      let first = try await service.get(path)
      #expect(try await service.get(path).headers["ETag"] == first.headers["ETag"])
      // Also one that is as large and as old, as copies by `cp -p` may be.
      for (width, height) in [(60, 80), (80, 60)] {
        let bytes = try Quadrants.png(width: width, height: height)
        try (bytes + Data(count: 10_000 - bytes.count)).write(to: file)
        try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: file.path)
        let size = try await service.get(path).bitmap().size
        #expect((size.height > size.width) == (height > width))
      }
    }
  }

  @Test func `a file that cannot be opened now is no missing file`() {
    for code in [ENOENT, ENOTDIR, ELOOP, EACCES, ENAMETOOLONG] { #expect(SourceError(opening: code) == .noSuchFile) }
    for code in [EMFILE, ENFILE, ENOMEM, EIO, EINTR, ESTALE] {
      #expect(SourceError(opening: code) == .unreadable)
      let error = ServiceError(SourceError(opening: code))
      #expect(error.status == 503 && error.retryAfter == 1)
    }
    let url = URL(filePath: "/a")
    #expect(ServiceError(ImageError.failed(cause: SourceError.unreadable, url: url)).status == 503)
  }

  @Test func `connections leave descriptors for the work on requests`() {
    var configuration = ServiceConfiguration()
    configuration.concurrency = 4
    #expect(configuration.connectionLimit(descriptorLimit: 1 << 20) == (1 << 20) - 392)
    #expect(configuration.connectionLimit(descriptorLimit: 1024) == 632)
    #expect(configuration.connectionLimit(descriptorLimit: 256) == 128)
    #expect(configuration.connectionLimit(descriptorLimit: 1) == 1)
    #expect((1...).contains(configuration.connectionLimit))
    configuration.clientConnections = 20
    #expect(configuration.connectionLimit(descriptorLimit: 1024) == 20)
  }

  @Test func `without a folder there are no local sources`() async throws {
    try await RunningService.run { service, _ async throws in
      #expect(try await service.get("/_/w:40/plain/local:///a.png@png").status == 404)
    }
  }

  /// Runs `body` with a service of a folder with two images.
  private func run(_ body: (RunningService, URL) async throws -> Void) async throws {
    try await TemporaryDirectory.run { parent in
      let folder = parent.appending(path: "images", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(
        at: folder.appending(path: "sub"), withIntermediateDirectories: true)
      try Quadrants.png().write(to: folder.appending(path: "a.png"))
      try Quadrants.png().write(to: folder.appending(path: "sub/b.png"))
      try await RunningService.run {
        $0.localRoot = folder
      } body: { service, _ in
        try await body(service, folder)
      }
    }
  }
}
