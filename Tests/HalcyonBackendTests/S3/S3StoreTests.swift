import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport
import HalcyonTesting
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// The store on S3-compatible storage: moto's server, and a server that fails.
@Suite(.integrationTest, .slow)
struct S3StoreTests {
  @Test(.enabled(if: MotoProcess.isInstalled), arguments: [S3Storage.Addressing.path, .virtualHost])
  func `a store in a bucket satisfies the data store laws`(addressing: S3Storage.Addressing) async throws {
    try await MotoProcess.run { server in
      let number = Lock(0)
      try await DataStoreLaws.check {
        let next = number.withLock { number in
          number += 1
          return number
        }
        return try await server.store("bucket\(next)", addressing)
      }
    }
  }

  @Test(.enabled(if: MotoProcess.isInstalled))
  func `a purge removes the entries of a source, and nothing else in the bucket`() async throws {
    try await MotoProcess.run { server in
      let store = try await server.store("images")
      for number in 1...8 { try await store.store(entry(), for: key(number)) }
      try await store.store(entry(), for: key(1, source: "https://a.example/2.jpg"))
      let foreign = try #require(URL(string: "http://127.0.0.1:\(server.port)/images/halcyon/readme"))
      _ = try await server.send(TransportRequest(url: foreign, method: .put, body: Data("text".utf8)))
      #expect(try await store.removeEntries(ofSource: "https://a.example/1.jpg") == 8)
      #expect(try await store.entry(for: key(1)) == nil)
      #expect(try await store.entry(for: key(1, source: "https://a.example/2.jpg")) == entry())
      try await store.removeAll()
      #expect(try await server.names("images") == ["halcyon/readme"])
    }
  }

  @Test(.enabled(if: MotoProcess.isInstalled))
  func `only what is made from originals is stored, unless they are wanted`() async throws {
    try await MotoProcess.run { server in
      let original = CacheKey("|url=23:https://a.example/1.jpg|header=1:x")
      let store = try await server.store("images")
      try await store.store(entry(), for: original)
      #expect(try await store.entry(for: original) == nil)
      #expect(try await store.updateMetadata(entry().metadata, for: original) == false)
      #expect(try await server.names("images") == [])
      var configuration = S3StoreConfiguration()
      configuration.storesOriginals = true
      let all = try await server.store("originals", configuration: configuration)
      try await all.store(entry(), for: original)
      #expect(try await all.entry(for: original) == entry())
      try await all.store(entry(), for: original.ofPartialBody)
      #expect(try await server.names("originals").count == 1)
    }
  }

  @Test(.enabled(if: MotoProcess.isInstalled))
  func `damaged, foreign, oversized and expired objects are misses`() async throws {
    try await MotoProcess.run { server in
      var configuration = S3StoreConfiguration()
      configuration.entryByteLimit = 10_000
      let store = try await server.store("images", configuration: configuration)
      try await store.store(entry(), for: key(1))
      let name = try #require(try await server.names("images").first)
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/images/\(name)"))
      let valid = try await server.send(TransportRequest(url: url)).body
      var flipped = valid
      flipped[80] ^= 1
      for value in [Data(), Data("foreign".utf8), valid.dropLast(), flipped, Data(count: 100)] {
        _ = try await server.send(TransportRequest(url: url, method: .put, body: value))
        #expect(try await store.lookUp(key(1)).miss == .damaged)
      }
      _ = try await server.send(TransportRequest(url: url, method: .put, body: Data(count: 10_001)))
      #expect(try await store.lookUp(key(1)).miss == .absent)
      try await store.store(entry(10_001), for: key(1))
      #expect(try await server.names("images") == [])
      try await store.store(entry(expiration: .expired), for: key(1))
      #expect(try await server.names("images") == [])
      let clock = TestClock()
      let timed = S3Store(
        storage: try server.storage(), bucket: "images", transport: CurlTransport(), time: clock)
      try await timed.store(entry(expiration: .after(.seconds(10))), for: key(2))
      #expect(try await timed.lookUp(key(2)).value != nil)
      clock.advance(by: .seconds(10))
      #expect(try await timed.lookUp(key(2)).miss == .expired)
      #expect(try await timed.metadata(for: key(2)) == nil)
    }
  }

  /// A store on a server that responds as the test says.
  private func store(
    _ server: ImageServer, _ configuration: S3StoreConfiguration = S3StoreConfiguration(), time: any TimeSource
  ) throws -> S3Store {
    let storage = try #require(S3Storage(region: "us-east-1", endpoint: server.url("/")))
    return S3Store(
      storage: storage, bucket: "images", transport: CurlTransport(), configuration: configuration, time: time)
  }

  private func path(of key: CacheKey) -> String {
    "/images/halcyon/\(KeyDigest(key.source?.text ?? key.text).hexadecimal)/\(key.digest.hexadecimal).\(SharedEntry.format)"
  }

  @Test(arguments: [400, 403, 409, 501, 505])
  func `a request that will not pass is not repeated`(status: Int) async throws {
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      server.serve(path(of: "a"), .status(status), .status(404))
      await #expect(throws: S3StoreError.self) { try await store.entry(for: "a") }
      #expect(server.requests.count == 1)
    }
  }

  @Test func `requests are repeated after failures that may pass, later and later`() async throws {
    try await ImageServer.run { server in
      let clock = TestClock()
      let store = try store(server, time: clock)
      server.serve(path(of: "a"), .status(503), .body(Data(count: 100)).cut(at: .body(10)), .status(404))
      async let entry = store.entry(for: "a")
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(50))
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(99))
      #expect(server.requests.count == 2)
      clock.advance(by: .milliseconds(1))
      #expect(try await entry == nil)
      #expect(server.requests.count == 3)
    }
  }

  @Test func `a refusal is an error with the code of the storage, and not repeated`() async throws {
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      let body = Data("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>".utf8)
      server.serve(path(of: "a"), .status(403, body: body))
      let error = S3StoreError.refused(status: 403, code: "AccessDenied")
      await #expect(throws: error) { try await store.entry(for: "a") }
      await #expect(throws: error) { try await store.store(entry(), for: "a") }
      await #expect(throws: error) { try await store.removeEntry(for: "a") }
      #expect(server.requests.map(\.method) == ["GET", "PUT", "DELETE"])
      server.serve(path(of: "a"), .status(404, body: Data("<Code>NoSuchBucket</Code>".utf8)))
      await #expect(throws: S3StoreError.refused(status: 404, code: "NoSuchBucket")) {
        try await store.entry(for: "a")
      }
      await #expect(throws: S3StoreError.refused(status: 404, code: "NoSuchBucket")) {
        try await store.removeEntry(for: "a")
      }
      server.serve("/images/", .body(Data("<html>".utf8)))
      await #expect(throws: S3StoreError.malformedList) { try await store.removeAll() }
    }
  }

  @Test func `every request has to end within the timeout, however slowly the storage sends`() async throws {
    let transport = ScriptedTransport { _ in .response(status: 404, body: Data()) }
    let url = try #require(URL(string: "http://localhost/"))
    let storage = try #require(S3Storage(region: "us-east-1", endpoint: url))
    var configuration = S3StoreConfiguration()
    configuration.timeout = .seconds(7)
    let store = S3Store(
      storage: storage, bucket: "images", transport: transport, configuration: configuration, time: TestClock())
    #expect(try await store.entry(for: "a") == nil)
    try? await store.store(entry(), for: "a")
    try await store.removeEntry(for: "a")
    try? await store.removeAll()
    #expect(transport.requests.map(\.method) == [.get, .put, .delete, .get])
    for limits in transport.requests.map(\.limits) {
      #expect(limits.totalTimeout == .seconds(7))
      #expect(limits.idleTimeout == .seconds(7))
      #expect(limits.connectTimeout <= .seconds(7))
    }
  }

  /// Another writer came first, is still writing, or has removed the object.
  @Test(arguments: [412, 409, 404]) func `metadata replaces only the version that was read`(status: Int) async throws {
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      let first = try #require(SharedEntry(entry(10), storedDate: receivedDate).encoded(for: "a"))
      let second = try #require(SharedEntry(entry(20), storedDate: receivedDate).encoded(for: "a"))
      let replies = Lock<[Reply]>([
        .body(first, headers: ["ETag": "\"1\""]), .status(status), .body(second, headers: ["ETag": "\"2\""]),
        .status(200),
      ])
      server.serve(path(of: "a")) { _ in replies.withLock { $0.removeFirst() } }
      var metadata = entry().metadata
      metadata.tags = ["changed"]
      #expect(try await store.updateMetadata(metadata, for: "a"))
      let puts = server.requests.filter { $0.method == "PUT" }
      #expect(puts.map { $0.headers["If-Match"] } == ["\"1\"", "\"2\""])
      let body = try #require(puts.last?.body)
      let written = try #require(SharedEntry(decoding: body, for: "a"))
      #expect(written.entry == StoredEntry(body: entry(20).body, metadata: metadata))
    }
  }

  private func list(_ names: [String], token: String? = nil) -> Data {
    let next = token.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
    let keys = names.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
    return Data("<ListBucketResult><IsTruncated>\(token != nil)</IsTruncated>\(next)\(keys)</ListBucketResult>".utf8)
  }

  private func name(_ digit: Character, format: String = ".\(SharedEntry.format)") -> String {
    let digest = String(repeating: digit, count: 32)
    return "halcyon/\(digest)/\(digest)\(format)"
  }

  @Test func `the entries of all formats are removed, and no other objects`() async throws {
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      let other = [
        "halcyon/../secret", "other/a", "halcyon/\(String(repeating: "a", count: 32))/x", name("a", format: ".x"),
        name("a", format: "."), name("a", format: ""), "a&amp;b", name("a").replacing("/a", with: "/\u{301}a"),
      ]
      let own = [name("b"), name("c", format: ".1"), name("d", format: ".999")]
      server.serve("/images/", .body(list(other + own)))
      for name in own { server.serve("/images/" + name, .status(204)) }
      try await store.removeAll()
      #expect(server.requests.map(\.method) == ["GET", "DELETE", "DELETE", "DELETE"])
      #expect(Set(server.requests.dropFirst().map(\.path)) == Set(own.map { "/images/" + $0 }))
    }
  }

  @Test func `a token is decoded, and a list goes on after a key if it has a plus sign`() async throws {
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      let parts = Lock([
        list([name("a")], token: "1&amp;2&#45;&#x2f;&lt;"), list([name("b")], token: "a+b"), list([name("c")]),
      ])
      server.serve("/images/") { _ in .body(parts.withLock { $0.removeFirst() }) }
      for digit in ["a", "b", "c"] as [Character] { server.serve("/images/" + name(digit), .status(204)) }
      try await store.removeAll()
      let last = name("b").replacing("/", with: "%2F")
      #expect(
        server.requests.map(\.path).filter { $0.contains("?") } == [
          "/images/?list-type=2&prefix=halcyon%2F",
          "/images/?continuation-token=1%262-%2F%3C&list-type=2&prefix=halcyon%2F",
          "/images/?list-type=2&prefix=halcyon%2F&start-after=\(last)",
        ])
    }
  }

  @Test func `a list that is cut, or contradicts itself, is an error`() async throws {
    let whole = String(decoding: list([name("a")], token: "next"), as: UTF8.self)
    let texts = [
      whole.replacing("</ListBucketResult>", with: ""), String(whole.prefix(whole.utf8.count - 40)),
      whole.replacing("true", with: "false"), whole.replacing("<IsTruncated>true</IsTruncated>", with: ""),
      whole.replacing("<NextContinuationToken>next</NextContinuationToken>", with: ""),
      whole.replacing("next", with: ""), whole.replacing("true", with: "yes"), whole + "<html>", whole + whole, "",
      whole.replacing("next", with: "a&unknown;b"), "<html></html>", whole.replacing("</Size>", with: "</Key>"),
    ]
    for text in texts { #expect(S3List(Data(text.utf8)) == nil, "\(text)") }
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      server.serve("/images/" + name("a"), .status(204))
      for text in [texts[0], texts[2]] {
        server.serve("/images/", .body(Data(text.utf8)))
        await #expect(throws: S3StoreError.malformedList) { try await store.removeAll() }
      }
      #expect(!server.requests.contains { $0.method == "DELETE" })
    }
  }

  @Test func `a list without an end is an error after some requests`() async throws {
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      let count = Lock(0)
      server.serve("/images/") { _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return .body(list([name("a")], token: "\(number)"))
      }
      server.serve("/images/" + name("a"), .status(204))
      await #expect(throws: S3StoreError.malformedList) { try await store.removeAll() }
      #expect(count.withLock { $0 } <= 102)
    }
  }

  @Test func `a list is read in time that grows with its length`() {
    // Quadratic time would take minutes, more than the suite has.
    let names = (0..<40_000).map { "k\($0)&amp;" }
    #expect(S3List(list(names))?.names.count == 40_000)
    let open = Data(String(repeating: "<Key>", count: 400_000).utf8)
    #expect(S3List(open) == nil)
    #expect(S3List(Data(repeating: UInt8(ascii: "<"), count: 2_000_000)) == nil)
    #expect(S3List(list([String(repeating: "&", count: 1_000_000)])) == nil)
  }

  @Test func `an object is refused by its length, or by its first bytes, before it is read`() async throws {
    try await ImageServer.run { server in
      var configuration = S3StoreConfiguration()
      (configuration.entryByteLimit, configuration.retryCount) = (100_000, 0)
      // The rest of the body never comes: reading it would end with an error.
      configuration.timeout = .milliseconds(500)
      let store = try store(server, configuration, time: TestClock())
      let value = try #require(SharedEntry(entry(90_000), storedDate: receivedDate).encoded(for: "a"))
      func answer(_ start: Data, length: Int) {
        let body = start + Data(count: length - start.count)
        server.serve(path(of: "a"), .body(body).stalled(at: .body(start.count)))
      }
      answer(Data(count: 10), length: 100_001)
      #expect(try await store.lookUp("a").miss == .absent)
      answer(Data(repeating: 7, count: 64), length: 90_000)
      #expect(try await store.lookUp("a").miss == .damaged)
      answer(value.prefix(100), length: value.count + 1)
      #expect(try await store.lookUp("a").miss == .damaged, "it has another length than it says")
      var newer = value
      newer[4] = 99
      answer(newer.prefix(64), length: newer.count)
      #expect(try await store.lookUp("a").miss == .otherFormat)
      server.serve(path(of: "a"), .body(value + [0]).chunked(1000))
      #expect(try await store.lookUp("a").miss == .damaged)
      server.serve(path(of: "a"), .body(value).chunked(63, 1000))
      #expect(try await store.lookUp("a").value == entry(90_000))
    }
  }

  @Test func `entries beyond the limit of all reads are misses, and what was read makes room again`() async throws {
    try await ImageServer.run { server in
      let value = try #require(SharedEntry(entry(50_000), storedDate: receivedDate).encoded(for: "a"))
      var configuration = S3StoreConfiguration()
      configuration.readByteLimit = value.count + 1000
      let store = try store(server, configuration, time: TestClock())
      let gate = Gate()
      server.serve(path(of: "a"), .body(value).held(by: gate, at: .body(10_000)))
      server.serve(
        path(of: "b"), .body(try #require(SharedEntry(entry(50_000), storedDate: receivedDate).encoded(for: "b"))))
      async let first = store.lookUp("a")
      try await gate.waitUntilHolding()
      // Until the store has received the length of the first one.
      while try await store.lookUp("b").value != nil { try await Task.yieldUnlessCancelled() }
      #expect(try await store.lookUp("b").miss == .absent)
      gate.open()
      #expect(try await first.value == entry(50_000))
      #expect(try await store.lookUp("b").value == entry(50_000))
    }
  }

  @Test func `the check of a bucket says what is wrong`() async throws {
    try await ImageServer.run { server in
      let store = try store(server, time: TestClock())
      server.serve("/images/", .status(200))
      try await store.checkBucket()
      #expect(server.requests.map(\.method) == ["HEAD"])
      for (status, code, advice) in [
        (404, "NoSuchBucket", "does not exist"), (403, "SignatureDoesNotMatch", "credentials are wrong"),
        (403, "RequestTimeTooSkewed", "clock of this machine is wrong"), (301, "PermanentRedirect", "another region"),
        (403, "AccessDenied", "lack a permission"), (301, "", "another region"),
      ] {
        server.serve("/images/") { request in
          .status(status, body: request.method == "HEAD" ? Data() : Data("<Error><Code>\(code)</Code></Error>".utf8))
        }
        let error = await #expect(throws: S3StoreError.refused(status: status, code: code)) {
          try await store.checkBucket()
        }
        #expect("\(try #require(error))".contains(advice))
      }
    }
  }
}
