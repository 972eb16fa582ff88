#if canImport(CMemcached)
import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport
import HalcyonTesting
import TestSupport
import TestTraits
import Testing

@testable import HalcyonBackend

/// The store on real memcached servers.
@Suite(.integrationTest, .slow)
struct MemcachedStoreTests {
  private let date = Date(timeIntervalSince1970: 1_700_000_000)

  private func configuration(_ change: (inout MemcachedConfiguration) -> Void = { _ in }) -> MemcachedConfiguration {
    var configuration = MemcachedConfiguration()
    // A busy machine is no failure of the store.
    configuration.timeout = .seconds(20)
    configuration.namespace = UUID().uuidString
    change(&configuration)
    return configuration
  }

  private func store(
    _ servers: [MemcachedProcess], _ configuration: MemcachedConfiguration? = nil, time: any TimeSource = SystemTime()
  ) -> MemcachedStore {
    MemcachedStore(
      servers: servers.map { MemcachedServer(host: "127.0.0.1", port: $0.port) },
      configuration: configuration ?? self.configuration(), time: time)
  }

  private func entry(_ byteCount: Int = 100, _ headers: HTTPHeaders = [:], expiration: CacheExpiration? = nil)
    -> StoredEntry
  {
    StoredEntry(
      body: Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }),
      metadata: EntryMetadata(headers: headers, requestDate: date, responseDate: date, expiration: expiration))
  }

  private func key(_ number: Int, source: String = "https://a.example/1.jpg") -> CacheKey {
    CacheKey("|url=\(source.utf8.count):\(source)|size=\("\(number)".utf8.count):\(number)")
  }

  @Test(arguments: [1, 3]) func `a store on memcached satisfies the data store laws`(count: Int) async throws {
    try await MemcachedProcess.run(count) { servers in
      try await DataStoreLaws.check { store(servers) }
    }
  }

  @Test func `two processes share entries, and namespaces separate them`() async throws {
    try await MemcachedProcess.run(2) { servers in
      let (shared, other) = (configuration(), configuration())
      try await store(servers, shared).store(entry(), for: "a")
      #expect(try await store(servers, shared).entry(for: "a") == entry())
      #expect(try await store(servers, other).entry(for: "a") == nil)
      try await store(servers, other).removeAll()
      #expect(try await store(servers, shared).entry(for: "a") == entry())
    }
  }

  @Test func `a purge removes all entries of a source, also those that are being stored`() async throws {
    try await MemcachedProcess.run(3) { servers in
      let shared = configuration()
      let (store, other) = (store(servers, shared), store(servers, shared))
      for number in 1...3 { try await store.store(entry(), for: key(number)) }
      try await store.store(entry(), for: key(1, source: "https://a.example/2.jpg"))
      try await other.removeEntries(ofSource: "https://a.example/1.jpg")
      for number in 1...3 { #expect(try await store.entry(for: key(number)) == nil) }
      #expect(try await store.entry(for: key(1, source: "https://a.example/2.jpg")) == entry())
      try await store.store(entry(7), for: key(1))
      #expect(try await other.entry(for: key(1)) == entry(7))
      #expect(try await other.entry(for: key(2)) == nil)
    }
  }

  @Test func `parts of bodies are not stored, and cost no request`() async throws {
    let store = MemcachedStore(
      servers: [MemcachedServer(host: "127.0.0.1", port: try Socket.bound().port)], configuration: configuration())
    await #expect(throws: MemcachedError.self) { try await store.entry(for: key(1)) }
    let part = key(1).ofPartialBody
    try await store.store(entry(), for: part)
    #expect(try await store.containsEntry(for: part) == false)
    #expect(try await store.updateMetadata(entry().metadata, for: part) == false)
    try await store.removeEntry(for: part)
  }

  @Test func `an entry over the item limit is passed by, and leaves no older one`() async throws {
    try await MemcachedProcess.run { servers in
      let store = store(servers, configuration { $0.itemByteLimit = 10_000 })
      try await store.store(entry(5000), for: "a")
      try await store.store(entry(9990), for: "a")
      #expect(try await store.entry(for: "a") == nil)
      try await store.store(entry(5000), for: "a")
      try await store.store(entry(10_001), for: "a")
      #expect(try await store.entry(for: "a") == nil)
      #expect(store.statistics.oversized == 2 && store.statistics.stores == 2)
      #expect(store.statistics.errors == 0)
    }
  }

  @Test func `a value over the limit is refused by its length, and the store goes on`() async throws {
    try await MemcachedProcess.run { servers in
      let store = store(servers, configuration { $0.itemByteLimit = 10_000 })
      let items = ItemNames(namespace: store.configuration.namespace).items(of: "a")
      try await store.store(entry(), for: "a")
      for byteCount in [10_001, 200_000, 900_000] {
        try RawMemcached(servers[0]).set(items.value, Data(count: byteCount))
        #expect(try await store.lookUp("a").miss == .absent)
      }
      #expect(store.statistics.oversized == 3 && store.statistics.errors == 0)
      #expect(store.statistics.ejectedServerCount == 0)
      try await store.store(entry(5), for: "a")
      #expect(try await store.entry(for: "a") == entry(5))
      try RawMemcached(servers[0]).set(items.source, Data(count: 900_000))
      #expect(try await store.entry(for: "a") == nil)
      try await store.store(entry(7), for: "a")
      #expect(try await store.entry(for: "a") == entry(7), "also if it is in place of a generation")
    }
  }

  @Test func `the body of a value over the limit is not waited for`() async throws {
    let listening = try Socket.bound()
    try #require(listen(listening.descriptor, 1) == 0)
    let server = MemcachedServer(host: "127.0.0.1", port: listening.port)
    let store = MemcachedStore(servers: [server], configuration: configuration())
    let name = ItemNames(namespace: store.configuration.namespace).items(of: "a").value
    let descriptor = listening.descriptor
    let hasClosed = Signal()
    Thread {
      let socket = Socket(adopting: accept(descriptor, nil, nil))
      // The length, and then nothing.
      _ = try? socket.receive()
      _ = socket.send(Data("VALUE \(name) 0 900000000 1\r\n".utf8))
      while let piece = try? socket.receive(), !piece.isEmpty {}
      hasClosed.set()
    }.start()
    #expect(try await store.lookUp("a").miss == .absent)
    await hasClosed.wait()
    #expect(store.statistics.oversized == 1 && store.statistics.errors == 0)
    withExtendedLifetime(listening.port) {}
  }

  @Test func `what is not stored is said to be not stored`() async throws {
    try await MemcachedProcess.run { servers in
      let store = store(servers, configuration { $0.itemByteLimit = 10_000 })
      #expect(try await store.storeIfPossible(entry(100), for: "a"))
      #expect(try await !store.storeIfPossible(entry(9990), for: "a"))
      #expect(try await !store.storeIfPossible(entry(20_000), for: "a"))
      #expect(try await !store.storeIfPossible(entry(expiration: .expired), for: "a"))
      try await store.store(entry(9700), for: "a")
      var metadata = entry().metadata
      metadata.userInfo = Data(count: 1000)
      #expect(try await !store.updateMetadata(metadata, for: "a"))
      #expect(try await store.entry(for: "a") == nil)
    }
  }

  @Test func `a value of another format is told from a damaged one`() async throws {
    try await MemcachedProcess.run { servers in
      let store = store(servers)
      let items = ItemNames(namespace: store.configuration.namespace).items(of: "a")
      let raw = try RawMemcached(servers[0])
      try await store.store(entry(), for: "a")
      let stored = try raw.get(items.value)
      var value = try #require(stored)
      value[4] = UInt8(SharedEntry.format) + 1
      try raw.set(items.value, value)
      #expect(try await store.lookUp("a").miss == .otherFormat)
      #expect(store.statistics.otherFormats == 1 && store.statistics.damaged == 0)
      #expect(items.value.contains(":e\(SharedEntry.format):"), "other formats have other names")
    }
  }

  @Test func `an entry over the limit of the server is an error, and the store goes on`() async throws {
    try await MemcachedProcess.run { servers in
      let store = store(servers, configuration { ($0.itemByteLimit, $0.failureLimit) = (64 << 20, 100) })
      await #expect(throws: MemcachedError.self) { try await store.store(entry(3 << 20), for: "a") }
      try await store.store(entry(), for: "a")
      #expect(try await store.entry(for: "a") == entry())
    }
  }

  @Test func `entries expire by their own expiration`() async throws {
    try await MemcachedProcess.run { servers in
      let clock = TestClock(date: .now)
      let store = store(servers, time: clock)
      let end = clock.now() + 100
      try await store.store(entry(expiration: .date(end)), for: "date")
      try await store.store(entry(expiration: .after(.seconds(50))), for: "after")
      try await store.store(entry(expiration: .never), for: "never")
      try await store.store(entry(expiration: .expired), for: "expired")
      #expect(try await store.lookUp("expired").miss == .absent)
      #expect(try await store.lookUp("after").value != nil)
      clock.advance(by: .seconds(51))
      #expect(try await store.lookUp("after").miss == .expired)
      #expect(try await store.lookUp("date").value != nil)
      clock.advance(by: .seconds(50))
      #expect(try await store.lookUp("date").miss == .expired)
      #expect(try await store.lookUp("never").value != nil)
    }
  }

  @Test func `memcached is told a lifetime of the freshness and the time after it`() async throws {
    try await MemcachedProcess.run { servers in
      let store = store(servers, configuration { $0.staleLifetime = .seconds(1000) }, time: TestClock(date: date))
      let cases: [(HTTPHeaders, CacheExpiration?, ClosedRange<Int>)] = [
        (["Cache-Control": "max-age=500"], nil, 1490...1500), ([:], nil, 990...1000),
        (["Cache-Control": "max-age=500"], .after(.seconds(60)), 50...60), ([:], .never, -1 ... -1),
      ]
      for (number, (headers, expiration, range)) in cases.enumerated() {
        try await store.store(entry(1, headers, expiration: expiration), for: CacheKey("\(number)"))
        let item = ItemNames(namespace: store.configuration.namespace).items(of: CacheKey("\(number)")).value
        let lifetime = try RawMemcached(servers[0]).lifetime(of: item)
        let left = try #require(lifetime)
        #expect(range.contains(left), "\(headers) \(left)")
      }
    }
  }

  @Test func `damaged and foreign values are misses`() async throws {
    try await MemcachedProcess.run { servers in
      let store = store(servers)
      let items = ItemNames(namespace: store.configuration.namespace).items(of: "a")
      let raw = try RawMemcached(servers[0])
      try await store.store(entry(), for: "a")
      let stored = try raw.get(items.value)
      let valid = try #require(stored)
      var values = [Data(), Data("foreign".utf8), Data(count: 64), valid.dropLast(), valid + [0], Data(count: 100_000)]
      // Without the number of the format.
      for index in 0..<valid.count where !(4..<8).contains(index) {
        var damaged = valid
        damaged[index] ^= 0x10
        values.append(damaged)
      }
      for value in values {
        try raw.set(items.value, value)
        #expect(try await store.lookUp("a").miss == .damaged)
      }
      #expect(store.statistics.damaged == values.count && store.statistics.errors == 0)
      // An entry of another key, as after a collision.
      try raw.set(items.value, valid)
      #expect(try await store.entry(for: "a") == entry())
      let other = ItemNames(namespace: store.configuration.namespace).items(of: "b")
      try raw.set(other.value, valid)
      #expect(try await store.lookUp("b").miss == .damaged)
      for generation in [Data("0".utf8), Data("no number".utf8), Data(count: 1000), Data("1".utf8)] {
        try raw.set(items.source, generation)
        #expect(try await store.lookUp("a").miss == .absent)
      }
      try await store.store(entry(5), for: "a")
      #expect(try await store.entry(for: "a") == entry(5))
    }
  }

  @Test func `a server that dies is ejected, and brought back without the entries removed meanwhile`() async throws {
    try await MemcachedProcess.run(2) { servers in
      let clock = TestClock(date: date)
      let store = store(servers, configuration { $0.failureLimit = 2 }, time: clock)
      let keys = (0..<40).map { key(1, source: "https://a.example/\($0).jpg") }
      for key in keys { try await store.store(entry(), for: key) }
      // Its connections break, and its entries stay.
      servers[0].freeze()
      servers[0].stop()
      var failures = 0
      for key in keys {
        do { _ = try await store.entry(for: key) } catch { failures += 1 }
      }
      #expect(failures == 2)
      #expect(store.statistics.opens == 1 && store.statistics.ejectedServerCount == 1)
      #expect(store.statistics.errors == 2)
      for key in keys {
        try await store.store(entry(3), for: key)
        #expect(try await store.entry(for: key) == entry(3))
      }
      try await servers[0].start()
      clock.advance(by: .seconds(1))
      #expect(try await store.entry(for: keys[0]) == entry(3))
      await store.waitForTrials()
      #expect(store.statistics.ejectedServerCount == 0)
      var found = 0
      for key in keys {
        if let entry = try await store.entry(for: key) {
          #expect(entry == self.entry(3))
          found += 1
        }
      }
      #expect((1..<40).contains(found))
    }
  }

  @Test func `changes that an ejected server has missed are applied before it is used again`() async throws {
    try await MemcachedProcess.run(2) { servers in
      let clock = TestClock(date: date)
      let shared = configuration { ($0.failureLimit, $0.timeout) = (1, .milliseconds(300)) }
      let store = store(servers, shared, time: clock)
      let keys = (0..<40).map { key(1, source: "https://a.example/\($0).jpg") }
      for key in keys { try await store.store(entry(), for: key) }
      servers[0].freeze()
      for key in keys { _ = try? await store.entry(for: key) }
      #expect(store.statistics.ejectedServerCount == 1 && store.statistics.timeouts == 1)
      for key in keys[..<10] { try await store.store(entry(3), for: key) }
      for key in keys[10..<20] { try await store.removeEntry(for: key) }
      let source = "https://a.example/25.jpg"
      await #expect(throws: MemcachedError.notRemoved(servers: [store.servers[0]])) {
        try await store.removeEntries(ofSource: source)
      }
      servers[0].thaw()
      clock.advance(by: .seconds(1))
      _ = try await store.entry(for: keys[39])
      await store.waitForTrials()
      #expect(store.statistics.ejectedServerCount == 0)
      for key in keys[..<10] { #expect([nil, entry(3)].contains(try await store.entry(for: key))) }
      for key in keys[10..<20] { #expect(try await store.entry(for: key) == nil) }
      #expect(try await store.entry(for: keys[25]) == nil)
      for key in keys[26...] { #expect(try await store.entry(for: key) == entry()) }
    }
  }

  @Test func `without any server calls fail at once, and a trial comes later and later`() async throws {
    let clock = TestClock(date: date)
    let silent = try SilentPort()
    let store = MemcachedStore(
      servers: [MemcachedServer(host: "127.0.0.1", port: silent.number)],
      configuration: configuration { ($0.failureLimit, $0.timeout) = (2, .milliseconds(20)) }, time: clock)
    for _ in 1...2 { await #expect(throws: MemcachedError.self) { try await store.entry(for: "a") } }
    for _ in 1...100 { await #expect(throws: MemcachedError.unavailable) { try await store.entry(for: "a") } }
    #expect(store.statistics.errors == 2 && store.statistics.refusals == 100 && store.statistics.opens == 1)
    for (seconds, errors) in [(1, 3), (1, 3), (1, 4), (3, 4), (1, 5)] {
      clock.advance(by: .seconds(seconds))
      await #expect(throws: MemcachedError.unavailable) { try await store.entry(for: "a") }
      await store.waitForTrials()
      #expect(store.statistics.errors == errors)
    }
    #expect(store.statistics.opens == 1)
  }

  @Test func `a refused connection and a cancelled call are told apart`() async throws {
    let free = try Socket.bound()
    let address = MemcachedServer(host: "127.0.0.1", port: free.port)
    let store = MemcachedStore(servers: [address], configuration: configuration { $0.failureLimit = 100 })
    do {
      _ = try await store.entry(for: "a")
      Issue.record("A server that does not exist had an entry.")
    } catch MemcachedError.failed(let server, let reason) {
      #expect(server == address && !reason.isEmpty)
    }
    let silent = try SilentPort()
    let waiting = MemcachedStore(
      servers: [MemcachedServer(host: "127.0.0.1", port: silent.number)], configuration: configuration())
    let call = Task { try await waiting.entry(for: "a") }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(waiting.statistics.errors == 0)
    withExtendedLifetime(free.port) {}
  }

  @Test func `keys stay on their servers when another one is added or lost`() {
    let addresses = (1...5).map { (number: $0, server: MemcachedServer(host: "10.0.0.\($0)")) }
    let all = HashRing(addresses)
    let fewer = HashRing(addresses.dropLast())
    let keys = (0..<10_000).map { "\($0)" }
    var counts = [Int: Int]()
    for key in keys {
      let server = all.server(for: key) ?? 0
      counts[server, default: 0] += 1
      let other = fewer.server(for: key)
      if server != 5 { #expect(other == server) }
    }
    for number in 1...5 { #expect((1200...2900).contains(counts[number] ?? 0), "\(counts)") }
  }

  @Test func `addresses are parsed as they are printed`() {
    for text in ["10.0.0.5:11211", "cache.example:7", "[::1]:11211"] {
      #expect(MemcachedServer(text)?.description == text)
    }
    #expect(MemcachedServer("cache")?.description == "cache:11211")
    #expect(MemcachedServer("[::1]")?.description == "[::1]:11211")
    for text in ["", ":1", "a:", "a:0", "a:65536", "a:1:2", "[::1", "[]:1", "a b:1", "[::1]x", "a/b"] {
      #expect(MemcachedServer(text) == nil, "\(text)")
    }
  }
}

/// The protocol of memcached over a socket, to look behind the store.
private struct RawMemcached: ~Copyable {
  private let socket: Socket

  init(_ server: MemcachedProcess) throws { socket = try Socket.connected(toPort: server.port) }

  func set(_ key: String, _ value: Data) throws {
    let response = try exchange(Data("set \(key) 0 0 \(value.count)\r\n".utf8) + value + Data("\r\n".utf8)) {
      $0.suffix(2) == Data("\r\n".utf8)
    }
    #expect(response == Data("STORED\r\n".utf8))
  }

  func get(_ key: String) throws -> Data? {
    let end = Data("\r\nEND\r\n".utf8)
    let response = try exchange(Data("get \(key)\r\n".utf8)) { $0.suffix(7) == end || $0 == Data("END\r\n".utf8) }
    guard let line = response.range(of: Data("\r\n".utf8)), response.count > 7 else { return nil }
    return Data(response[line.upperBound...].dropLast(7))
  }

  /// The seconds until an item expires; -1 for never, `nil` without it.
  func lifetime(of key: String) throws -> Int? {
    let response = try exchange(Data("mg \(key) t\r\n".utf8)) { $0.suffix(2) == Data("\r\n".utf8) }
    let words = String(decoding: response, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return words.first { $0.hasPrefix("t") }.flatMap { Int($0.dropFirst()) }
  }

  private func exchange(_ request: Data, until isComplete: (Data) -> Bool) throws -> Data {
    let isSent = socket.send(request)
    #expect(isSent)
    var response = Data()
    while !isComplete(response) {
      let piece = try socket.receive()
      guard !piece.isEmpty else { break }
      response += piece
    }
    return response
  }
}
#endif
