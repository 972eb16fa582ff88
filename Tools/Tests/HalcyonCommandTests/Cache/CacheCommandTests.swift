import Foundation
import HalcyonCache
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.integrationTest)
struct CacheCommandTests {
  @Test func `entries are listed, filtered and sorted`() async throws {
    try await withCache { cache, urls in
      let bySize = try await CommandRun("cache", "ls", "--sort", "size", "--json", "-d", cache)
      #expect(bySize.status == 0, "\(bySize.errors)")
      #expect(try bySize.objects().map { $0["source"] as? String } == [urls[1], urls[0]])
      #expect(try bySize.objects()[1]["bodyBytes"] as? Int == 112_525)
      for (filter, found) in [
        (["--max-size", "150K"], [urls[0]]), (["--min-size", "150K"], [urls[1]]), (["--host", "127.0.0.1"], urls),
        (["--host", "example.com"], []), (["--older-than", "1h"], []), (["--newer-than", "1h"], urls),
        (["--tag", "none"], []), (["--sort", "url", "--reverse", "--limit", "1"], [urls[0]]), (["--expired"], []),
      ] {
        let run = try await CommandRun(["cache", "ls", "--json", "-d", cache] + filter)
        #expect(Set(try run.objects().compactMap { $0["source"] as? String }) == Set(found), "\(filter)")
      }
      let one = try await CommandRun("cache", "ls", "--limit", "1", "-d", cache)
      #expect(one.output.split(separator: "\n").count == 1, "\(one.output)")
      let statistics = try await CommandRun("cache", "stat", "--json", "-d", cache)
      #expect(try statistics.objects().first?["entries"] as? Int == 2)
      #expect(try statistics.objects().first?["bodyBytes"] as? Int == 112_525 + 240_512)
      #expect(statistics.output.contains("\"hosts\":{\"127.0.0.1\":{"), "\(statistics.output)")
      #expect(statistics.output.contains(",\"entries\":2}}"), "\(statistics.output)")
      #expect(statistics.output.contains("\"types\":{\"image/jpeg\":{"), "\(statistics.output)")
    }
  }

  @Test func `entries are found by their tags, and those that have expired`() async throws {
    try await withCache { cache, urls in
      let disk = DiskCache(
        directory: URL(filePath: cache), configuration: DiskCacheConfiguration(cleaning: .whenAsked))
      for (tag, expiration) in [
        ("lasting", .never), ("old", .date(Date(timeIntervalSince1970: 1e9))),
      ] as [(String, CacheExpiration)] {
        let metadata = EntryMetadata(
          url: URL(string: "https://Example.com/a.jpg"), requestDate: Date(), responseDate: Date(),
          expiration: expiration, tags: [tag])
        try await disk.store(StoredEntry(body: Data("a".utf8), metadata: metadata), for: CacheKey(tag))
      }
      // What does not expire is last.
      let sorted = try await CommandRun("cache", "ls", "--sort", "expiration", "--json", "-d", cache)
      let tags = try sorted.objects().compactMap { ($0["tags"] as? [String])?.first }
      #expect(tags == ["old", "lasting"], "\(sorted.errors)")
      let list = try await CommandRun("cache", "ls", "--tag", "old", "--expired", "--json", "-d", cache)
      #expect(try list.objects().map { $0["isExpired"] as? Bool } == [true], "\(list.errors)")
      // The entries of keys that are no URLs have the host that they were loaded from.
      let host = try await CommandRun("cache", "ls", "--host", "EXAMPLE.com", "-d", cache)
      #expect(host.output.split(separator: "\n").count == 2, "\(host.output)\(host.errors)")
      let stored = try await CommandRun("cache", "get", "https://Example.com/a.jpg", "-d", cache)
      #expect(stored.output == "a", "\(stored.errors)")
      let statistics = try await CommandRun("cache", "stat", "-d", cache)
      #expect(statistics.output.contains("\n1 expired, 0 pinned\n"), "\(statistics.output)")
      // Not those of the URL that the filter leaves out.
      #expect(try await CommandRun("cache", "rm", urls[0], "--expired", "-d", cache).status == 64)
      let removal = try await CommandRun("cache", "rm", "--expired", "-d", cache)
      #expect(removal.output == "Removed 1 entry.\n", "\(removal.errors)")
      #expect(try await CommandRun("cache", "ls", "-d", cache).output.split(separator: "\n").count == 3)
    }
  }

  @Test(arguments: [(10, nil), (11, "  and 1 more")] as [(Int, String?)])
  func `the ten largest hosts are listed, equal ones by their names, and others counted`(
    count: Int, rest: String?
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let disk = DiskCache(directory: folder, configuration: DiskCacheConfiguration(cleaning: .whenAsked))
      for name in "bzacdefghij".prefix(count) {
        let metadata = EntryMetadata(
          url: URL(string: "https://\(name).example/a.jpg"), requestDate: Date(), responseDate: Date())
        let body = Data(count: name == "z" ? 50_000 : 1)
        try await disk.store(StoredEntry(body: body, metadata: metadata), for: CacheKey(String(name)))
      }
      let run = try await CommandRun("cache", "stat", "-d", folder.path())
      let lines = run.output.split(separator: "\n")
      let hosts = lines.filter { $0.hasSuffix(".example") }.map { String($0.dropLast(8).suffix(1)) }
      #expect(hosts.joined() == "zabcdefghi", "\(run.output)\(run.errors)")
      #expect(lines.first { $0.hasSuffix(" more") }.map { String($0) } == rest, "\(run.output)")
    }
  }

  @Test func `a stored image is written with its bytes, by URL or key`() async throws {
    try await withCache { cache, urls in
      let list = try await CommandRun("cache", "ls", "--json", "--max-size", "150K", "-d", cache)
      let key = try #require(try list.objects().first?["key"] as? String)
      for name in [urls[0], key] {
        let file = cache + "-copy.jpg"
        try Data("mine".utf8).write(to: URL(filePath: file))
        let kept = try await CommandRun("cache", "get", name, "-o", file, "-d", cache)
        #expect(kept.status == 1)
        #expect(kept.errors.contains("\(file) exists. Replace it with --overwrite"))
        let run = try await CommandRun("cache", "get", name, "-o", file, "--overwrite", "-d", cache)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Data(contentsOf: URL(filePath: file)) == Photos.data("rocket.jpg"))
      }
      let removal = try await CommandRun("cache", "rm", key, "-d", cache)
      #expect(removal.output == "Removed 1 entry.\n", "\(removal.errors)")
      #expect(try await CommandRun("cache", "get", urls[1], "-o", "-", "-d", cache).output.contains("PNG"))
      let missing = try await CommandRun("cache", "get", "http://example.com/a.jpg", "-d", cache)
      #expect(missing.status == 1)
      #expect(missing.errors.contains("The cache has no entry for http://example.com/a.jpg."))
    }
  }

  @Test func `a damaged entry is found, and removed only when asked`() async throws {
    try await withCache { cache, _ in
      let intact = try await CommandRun("cache", "verify", "-d", cache)
      #expect(intact.status == 0)
      #expect(intact.output == "Checked 2 entries: all intact.\n")
      let file = try largestFile(in: cache)
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count - 5] ^= 1
      try bytes.write(to: file)
      for arguments in [[], ["--remove"]] {
        let run = try await CommandRun(["cache", "verify", "--json", "-d", cache] + arguments)
        #expect(run.status == 1)
        #expect(try run.objects().first?["damaged"] as? [String] == [file.path()])
      }
      let repaired = try await CommandRun("cache", "verify", "-d", cache)
      #expect(repaired.output == "Checked 1 entry: all intact.\n")
    }
  }

  @Test func `an entry is found that was stored whole, of an image that is cut`() async throws {
    try await withCache { cache, _ in
      let photo = try Photos.data("rocket.jpg")
      let disk = DiskCache(directory: URL(filePath: cache))
      // The header of a BMP image of 65,536 x 65,536 pixels, which is not decoded: it is too large, not damaged.
      let sides: [UInt8] = [54, 0, 0, 0, 40, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 24, 0]
      let huge = Data("BM".utf8) + Data(count: 8) + Data(sides) + Data(count: 24)
      for (name, body) in [
        ("cut.jpg", photo.prefix(60_000)), ("end.jpg", photo.dropLast(2)), ("text", Data("no image".utf8)),
        ("huge.bmp", huge),
      ] {
        let metadata = EntryMetadata(requestDate: Date(), responseDate: Date())
        try await disk.store(StoredEntry(body: Data(body), metadata: metadata), for: CacheKey(name))
      }
      let run = try await CommandRun("cache", "verify", "--remove", "-d", cache)
      #expect(run.status == 1)
      #expect(run.output.hasSuffix("Checked 6 entries: 1 damaged.\n"), "\(run.output)")
      #expect(try await disk.entry(for: "cut.jpg") == nil)
      for kept in ["end.jpg", "text", "huge.bmp"] { #expect(try await disk.entry(for: CacheKey(kept)) != nil) }
    }
  }

  @Test func `entries are removed by URL, host and filters`() async throws {
    try await withCache { cache, urls in
      let dry = try await CommandRun("cache", "rm", "--host", "127.0.0.1", "--dry-run", "-d", cache)
      #expect(dry.output.hasSuffix("Would remove 2 entries.\n"))
      for (filter, count) in [
        (["--tag", "a"], "0 entries"), (["--min-size", "150K"], "1 entry"), (["--max-size", "150K"], "1 entry"),
        (["--older-than", "1h"], "0 entries"), (["--newer-than", "1h"], "2 entries"),
      ] {
        let run = try await CommandRun(["cache", "rm", "--dry-run", "-d", cache] + filter)
        #expect(run.output.hasSuffix("Would remove \(count).\n"), "\(filter) \(run.errors)")
      }
      let named = try await CommandRun("cache", "rm", urls[0], "--dry-run", "-d", cache)
      #expect(named.output == "\(urls[0])\nWould remove 1 entry.\n")
      let one = try await CommandRun("cache", "rm", urls[0], urls[0], "-d", cache)
      #expect(one.status == 0)
      #expect(one.output == "Removed 1 entry.\n")
      let again = try await CommandRun("cache", "rm", urls[0], "-d", cache)
      #expect(again.status == 1)
      let host = try await CommandRun("cache", "rm", "--host", "127.0.0.1", "-d", cache)
      #expect(host.output == "Removed 1 entry.\n")
      #expect(try await CommandRun("cache", "rm", "-d", cache).status == 64)
    }
  }

  @Test func `the folder of the cache has one name in all commands`() async throws {
    try await withCache { cache, urls in
      let get = try await CommandRun("get", urls[0], "-d", cache, "--freshness", "cache-only")
      #expect(get.status == 0, "\(get.errors)")
      #expect(get.output.contains("store"), "\(get.errors)")
      let list = try await CommandRun("cache", "ls", "--cache-dir", cache)
      #expect(list.status == 0, "\(list.errors)")
      #expect(list.output.split(separator: "\n").count == 2, "\(list.errors)")
      let removal = try await CommandRun("cache", "rm", urls[0], "--cache-dir", cache)
      #expect(removal.output == "Removed 1 entry.\n")
      #expect(try await CommandRun("cache", "stat", "-d", cache).output.contains("\n1 entry, "))
    }
  }

  @Test func `clearing asks, and removes nothing without a yes`() async throws {
    try await withCache { cache, _ in
      // Standard input of the tests is empty.
      let unconfirmed = try await CommandRun("cache", "clear", "-d", cache)
      #expect(unconfirmed.status == 1)
      #expect(unconfirmed.errors.contains("Remove all 2 entries"))
      let program = try CommandRun.program().path()
      let confirmed = try await CommandRun(
        URL(filePath: "/bin/sh"), ["-c", "echo Yes | \"$0\" cache clear -d \"$1\"", program, cache])
      #expect(confirmed.output == "Removed 2 entries.\n", "\(confirmed.errors)")
    }
  }

  @Test func `cleaning evicts down to the given limits only`() async throws {
    try await withCache { cache, _ in
      for options in [[], ["--max-unused", "1d"]] {
        let run = try await CommandRun(["cache", "clean", "-d", cache] + options)
        #expect(run.output == "nothing removed\n", "\(options) \(run.errors)")
      }
      let trimmed = try await CommandRun("cache", "clean", "--size-limit", "300K", "--json", "-d", cache)
      #expect(try trimmed.objects().first?["removed"] as? Int == 1, "\(trimmed.output) \(trimmed.errors)")
      let unused = try await CommandRun("cache", "clean", "--max-unused", "0s", "--json", "-d", cache)
      #expect(try unused.objects().first?["removed"] as? Int == 1, "\(unused.output) \(unused.errors)")
    }
  }

  @Test func `a folder without a cache is an error, and stays without one`() async throws {
    try await TemporaryDirectory.run { folder in
      let path = folder.path() + "none"
      for arguments in [["ls"], ["stat"], ["verify"], ["clear", "--yes"], ["get", "a"]] {
        let run = try await CommandRun(["cache"] + arguments + ["-d", path])
        #expect(run.status == 1)
        #expect(run.errors.contains("There is no cache in \(path)"))
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `a cache of another version is an error, and stays as it is`() async throws {
    try await withCache { cache, _ in
      try FileManager.default.moveItem(atPath: "\(cache)/v\(DiskCache.format)", toPath: cache + "/v2")
      let files = try FileManager.default.subpathsOfDirectory(atPath: cache).sorted()
      for arguments in [["ls"], ["stat"], ["verify", "--remove"], ["clear", "--yes"], ["get", "a"], ["clean"]] {
        let run = try await CommandRun(["cache"] + arguments + ["-d", cache])
        #expect(run.status == 1)
        #expect(run.errors.contains("is of another version of Halcyon (format 2,"), "\(run.errors)")
      }
      #expect(try FileManager.default.subpathsOfDirectory(atPath: cache).sorted() == files)
    }
  }

  @Test(arguments: [["ls"], ["stat"], ["verify"], ["get", "a"], ["rm", "--host", "a", "--dry-run"]])
  func `a command that only reads does not rebuild a damaged index`(arguments: [String]) async throws {
    try await withCache { cache, _ in
      let index = URL(filePath: "\(cache)/v\(DiskCache.format)/index.db")
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: index.path() + suffix) }
      try Data(repeating: 7, count: 5000).write(to: index)
      let run = try await CommandRun(["cache"] + arguments + ["-d", cache])
      #expect(run.status == 1)
      #expect(run.errors.contains("is damaged"), "\(run.errors)")
      #expect(try Data(contentsOf: index) == Data(repeating: 7, count: 5000))
      #expect(try await CommandRun("cache", "clear", "--yes", "-d", cache).output == "Removed 2 entries.\n")
    }
  }

  @Test(arguments: [
    ["get", "a.jpg"], ["info", "a.jpg"], ["compare", "a.jpg", "b.jpg"], ["cache", "ls"], ["cache", "clear", "--yes"],
    ["cache", "warm", "http://127.0.0.1:1/"],
  ])
  func `a cache without a name is wrong usage`(arguments: [String]) async throws {
    let run = try await CommandRun(arguments + ["-d", ""])
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.errors.contains("--cache-dir"), "\(run.errors)")
  }

  private func largestFile(in cache: String) throws -> URL {
    let folder = "v\(DiskCache.format)/d/"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: cache).filter { $0.hasPrefix(folder) }
    let files = paths.map { URL(filePath: cache).appending(path: $0) }
    return try #require(
      try files.filter { !$0.hasDirectoryPath }.max { try Data.byteCount($0) < Data.byteCount($1) })
  }
}

/// A cache with a small and a large image, filled by `cache warm`.
func withCache(_ body: (_ cache: String, _ urls: [String]) async throws -> Void) async throws {
  try await withOrigin { server, folder in
    let urls = try ["rocket.jpg", "chelsea.png"].map { name in
      let type = name.hasSuffix("png") ? "image/png" : "image/jpeg"
      let reply = Reply.status(200, headers: ["Content-Type": type], body: try Photos.data(name))
      return server.serve("/" + (name == "rocket.jpg" ? "z.jpg" : "a.png"), reply).absoluteString
    }
    let cache = folder.path() + "cache"
    let run = try await CommandRun(["cache", "warm", "-d", cache] + urls)
    try #require(run.status == 0, "\(run.errors)")
    try await body(cache, urls)
  }
}

extension Data {
  fileprivate static func byteCount(_ file: URL) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: file.path())[.size] as? Int ?? 0
  }
}
