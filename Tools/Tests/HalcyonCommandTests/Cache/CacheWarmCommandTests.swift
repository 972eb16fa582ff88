import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.integrationTest)
struct CacheWarmCommandTests {
  @Test func `a second run downloads only what the first has not stored`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      // They are stale at once.
      let stale = Reply.body(photo, headers: ["Cache-Control": "max-age=0", "ETag": "\"a\""])
      let urls = (0..<5).map { server.serve("/\($0).jpg", stale).absoluteString }
      let list = folder.appending(path: "urls.txt")
      let cache = folder.path() + "cache"
      for (count, downloaded) in [(3, 3), (5, 2)] {
        try Data(("# photos\n\n" + urls.prefix(count).joined(separator: "\n")).utf8).write(to: list)
        let run = try await CommandRun("cache", "warm", "--file", list.path(), "-d", cache, "--json")
        #expect(run.status == 0, "\(run.errors)")
        let counts = try #require(try run.objects().last)
        #expect(counts["downloaded"] as? Int == downloaded)
        #expect(counts["stored"] as? Int == count - downloaded)
      }
      #expect(server.requests.count == 5)
    }
  }

  @Test func `of over a thousand URLs each is loaded once`() async throws {
    try await withOrigin { server, folder in
      let photo = Reply.body(try Photos.data("rocket.jpg"))
      let urls = ["/a.jpg", "/b.jpg"].map { server.serve($0, photo).absoluteString }
      let list = folder.appending(path: "urls.txt")
      try Data((Array(repeating: urls[0], count: 1000) + [urls[1]]).joined(separator: "\n").utf8).write(to: list)
      let run = try await CommandRun("cache", "warm", "--file", list.path(), "-d", folder.path() + "cache")
      #expect(run.output == "Downloaded 2 images; 0 were stored already; 0 failed.\n", "\(run.errors)")
    }
  }

  @Test(
    arguments: [
      (nil, 0, 512 << 20), (nil, 600 << 20, 664 << 20), (nil, 500 << 20, 564 << 20), (9, 600 << 20, 9),
      (1 << 30, 0, 1 << 30),
    ] as [(Int?, Int, Int)])
  func `without a limit a cache may grow, and has room for what it has`(option: Int?, present: Int, limit: Int) {
    #expect(CacheWarmCommand.limit(option, present: present) == limit)
  }

  @Test func `an image that cannot be downloaded is reported, and the others are stored`() async throws {
    try await withOrigin { server, folder in
      let good = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let gone = server.serve("/b.jpg", .status(410)).absoluteString
      let run = try await CommandRun("cache", "warm", gone, good, "-d", folder.path() + "cache")
      #expect(run.status == 1)
      #expect(run.errors.contains("\(gone) responded with HTTP 410."))
      #expect(run.output == "Downloaded 1 image; 0 were stored already; 1 failed.\n")
      #expect(try await CommandRun("cache", "warm", "-d", folder.path() + "cache").status == 64)
      let large = server.serve("/c.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let limited = try await CommandRun(
        "cache", "warm", large, "-d", folder.path() + "cache", "--max-bytes", "9", "--json")
      #expect(limited.status == 1)
      let reports = try limited.objects()
      #expect(reports.first?["address"] as? String == large, "\(limited.output)")
      #expect((reports.first?["error"] as? String)?.contains("--max-bytes") == true, "\(limited.output)")
      #expect(reports.last?["failed"] as? Int == 1, "\(limited.output)")
    }
  }

  @Test func `a path is an error in the words of the program, and lines may end as on Windows`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let list = folder.appending(path: "urls.txt")
      try Data("# \u{301}\r\n#\u{301}\r\n\(url)#top\r\n./a.jpg\r\na.jpg\r\n".utf8).write(to: list)
      let run = try await CommandRun("cache", "warm", "--file", list.path(), "-d", folder.path() + "cache")
      #expect(run.output == "Downloaded 1 image; 0 were stored already; 2 failed.\n", "\(run.errors)")
      #expect(run.errors.contains("“./a.jpg” is a path, not a URL. Give an http or https URL."))
      #expect(!run.errors.contains("filePath"))
    }
  }

  @Test func `a cache is listed, checked and trimmed while another process fills it`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let gate = Gate()
      // The last image arrives when the cache has been used for a while.
      let urls = (0..<60).map { server.serve("/\($0).jpg", .body(photo)).absoluteString }
      let last = server.serve("/last.jpg", .body(photo).held(by: gate)).absoluteString
      let cache = folder.path() + "cache"
      async let warming = CommandRun(["cache", "warm", "-d", cache] + urls + [last])
      try await gate.waitUntilHolding()
      for round in 0..<3 {
        for arguments in [["ls", "--json"], ["verify"], ["stat"]] {
          let run = try await CommandRun(["cache"] + arguments + ["-d", cache])
          #expect(run.status == 0, "\(arguments) \(run.errors)")
        }
        let removed = try await CommandRun("cache", "rm", urls[round], "-d", cache)
        #expect(removed.status == 0, "\(removed.errors)")
      }
      gate.open()
      #expect(try await warming.status == 0)
      let end = try await CommandRun("cache", "verify", "-d", cache)
      #expect(end.output == "Checked 58 entries: all intact.\n")
    }
  }
}
