#if canImport(CHalcyonMemcached)
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// Servers that fail, are ejected, and come back.
@Suite(.integrationTest, .slow)
struct MemcachedEjectionTests {
  @Test func `a server that dies is ejected, and brought back without the entries removed meanwhile`() async throws {
    try await MemcachedProcess.run(2) { servers in
      let clock = TestClock()
      let store = servers.store(.isolated { $0.failureLimit = 2 }, time: clock)
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
      #expect(store.statistics.opens == 1)
      #expect(store.statistics.ejectedServerCount == 1)
      #expect(store.statistics.errors == 2)
      for key in keys {
        try await store.store(entry(3), for: key)
        #expect(try await store.entry(for: key) == entry(3))
      }
      let item = ItemNames(namespace: store.configuration.namespace).items(of: keys[0]).value
      let left = try #require(try RawMemcached(servers[1]).lifetime(of: item))
      #expect((1...300).contains(left), "on the server that stands in, for five minutes and not a day: \(left)")
      try await servers[0].start()
      clock.advance(by: .seconds(1))
      #expect(try await store.entry(for: keys[0]) == entry(3))
      await store.waitForTrials()
      #expect(store.statistics.ejectedServerCount == 0)
      var found = 0
      for key in keys {
        if let value = try await store.entry(for: key) {
          #expect(value == entry(3))
          found += 1
        }
      }
      #expect((1..<40).contains(found))
    }
  }

  @Test func `changes that an ejected server has missed are applied before it is used again`() async throws {
    try await MemcachedProcess.run(2) { servers in
      let clock = TestClock()
      let shared = MemcachedConfiguration.isolated { ($0.failureLimit, $0.timeout) = (1, .milliseconds(300)) }
      let store = servers.store(shared, time: clock)
      let keys = (0..<40).map { key(1, source: "https://a.example/\($0).jpg") }
      for key in keys { try await store.store(entry(), for: key) }
      servers[0].freeze()
      for key in keys { _ = try? await store.entry(for: key) }
      #expect(store.statistics.ejectedServerCount == 1)
      #expect(store.statistics.timeouts == 1)
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

  @Test func `a server that has missed changes does not come back before they are applied`() {
    let servers = [1, 2].map { MemcachedServer(host: "127.0.0.1", port: $0) }
    let clock = TestClock()
    let group = ServerGroup(servers, .isolated { $0.failureLimit = 1 }, time: clock)
    group.noteChange(of: "before")
    group.recordFailure(0)
    group.noteChange(of: "a")
    #expect(!group.bringBack(0))
    let first = group.takeMissed(0)
    #expect(first.keys == ["a"])
    #expect(!first.isAll)
    // While they are applied, another one is missed; then they turn out not to be applied.
    group.noteChange(of: "b")
    #expect(!group.bringBack(0))
    group.returnMissed(first, 0)
    #expect(group.takeMissed(0).keys == ["a", "b"])
    group.noteChange(of: nil)
    let all = group.takeMissed(0)
    #expect(all.isAll)
    group.noteChange(of: "c")
    group.returnMissed(all, 0)
    group.returnMissed(first, 0)
    #expect(!group.bringBack(0))
    #expect(group.takeMissed(0).isAll)
    #expect(group.hasEjected)
    clock.advance(by: .seconds(1))
    #expect(group.available().trials == [0])
    #expect(group.bringBack(0))
    #expect(!group.hasEjected)
    group.recordFailure(1)
    for number in 0...ServerGroup.MissedChanges.limit { group.noteChange(of: "\(number)") }
    let many = group.takeMissed(1)
    #expect(many.isAll)
    #expect(many.keys.isEmpty)
    #expect(group.takeMissed(0).isEmpty)
  }

  @Test func `without any server calls fail at once, and a trial comes later and later`() async throws {
    let clock = TestClock()
    let silent = try SilentPort()
    let store = MemcachedStore(
      servers: [MemcachedServer(host: "127.0.0.1", port: silent.number)],
      configuration: .isolated { ($0.failureLimit, $0.timeout) = (2, .milliseconds(20)) }, time: clock)
    for _ in 1...2 { await #expect(throws: MemcachedError.self) { try await store.entry(for: "a") } }
    for _ in 1...100 { await #expect(throws: MemcachedError.unavailable) { try await store.entry(for: "a") } }
    #expect(store.statistics.errors == 2)
    #expect(store.statistics.refusals == 100)
    #expect(store.statistics.opens == 1)
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
    let store = MemcachedStore(servers: [address], configuration: .isolated { $0.failureLimit = 100 })
    do {
      _ = try await store.entry(for: "a")
      Issue.record("A server that does not exist had an entry.")
    } catch MemcachedError.failed(let server, let reason) {
      #expect(server == address)
      #expect(!reason.isEmpty)
    }
    let silent = try SilentPort()
    let waiting = MemcachedStore(
      servers: [MemcachedServer(host: "127.0.0.1", port: silent.number)], configuration: .isolated())
    let call = Task { try await waiting.entry(for: "a") }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(waiting.statistics.errors == 0)
    withExtendedLifetime(free.port) {}
  }
}
#endif
