#if canImport(CHalcyonMemcached)
import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// The store on real memcached servers.
@Suite(.integrationTest, .slow)
struct MemcachedStoreTests {
  @Test(arguments: [1, 3]) func `a store on memcached satisfies the data store laws`(count: Int) async throws {
    try await MemcachedProcess.run(count) { servers in
      try await DataStoreLaws.check { servers.store() }
    }
  }

  @Test func `two processes share entries, and namespaces separate them`() async throws {
    try await MemcachedProcess.run(2) { servers in
      let (shared, other) = (MemcachedConfiguration.isolated(), MemcachedConfiguration.isolated())
      try await servers.store(shared).store(entry(), for: "a")
      #expect(try await servers.store(shared).entry(for: "a") == entry())
      #expect(try await servers.store(other).entry(for: "a") == nil)
      try await servers.store(other).removeAll()
      #expect(try await servers.store(shared).entry(for: "a") == entry())
    }
  }

  @Test func `a purge removes all entries of a source, also those that are being stored`() async throws {
    try await MemcachedProcess.run(3) { servers in
      let shared = MemcachedConfiguration.isolated()
      let (store, other) = (servers.store(shared), servers.store(shared))
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
      servers: [MemcachedServer(host: "127.0.0.1", port: try Socket.bound().port)], configuration: .isolated())
    await #expect(throws: MemcachedError.self) { try await store.entry(for: key(1)) }
    let part = key(1).ofPartialBody
    try await store.store(entry(), for: part)
    #expect(try await store.containsEntry(for: part) == false)
    #expect(try await store.updateMetadata(entry().metadata, for: part) == false)
    try await store.removeEntry(for: part)
  }

  @Test func `entries expire by their own expiration`() async throws {
    try await MemcachedProcess.run { servers in
      let clock = TestClock(date: .now)
      let store = servers.store(time: clock)
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
      let store = servers.store(.isolated { $0.staleLifetime = .seconds(1000) }, time: TestClock())
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

  @Test func `an entry that lives for more than thirty days is kept, and memcached is told the date`() async throws {
    try await MemcachedProcess.run { servers in
      let store = servers.store(time: TestClock(date: .now))
      for days in [29, 31, 400] {
        let key = CacheKey("\(days)")
        try await store.store(entry(expiration: .days(days)), for: key)
        #expect(try await store.entry(for: key) != nil)
        let item = ItemNames(namespace: store.configuration.namespace).items(of: key).value
        let left = try #require(try RawMemcached(servers[0]).lifetime(of: item))
        #expect((days * 86_400 - 200...days * 86_400 + 2).contains(left), "\(days)")
      }
    }
  }

  @Test func `damaged and foreign values are misses, told from those of another format`() async throws {
    try await MemcachedProcess.run { servers in
      let store = servers.store()
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
      var newer = valid
      newer[4] = UInt8(SharedEntry.format) + 1
      try raw.set(items.value, newer)
      #expect(try await store.lookUp("a").miss == .otherFormat)
      #expect(store.statistics.otherFormats == 1)
      #expect(items.value.contains(":e\(SharedEntry.format):"), "other formats have other names")
      #expect(store.statistics.damaged == values.count)
      #expect(store.statistics.errors == 0)
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
}
#endif
