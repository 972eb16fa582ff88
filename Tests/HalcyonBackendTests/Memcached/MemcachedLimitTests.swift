#if canImport(CHalcyonMemcached)
import Foundation
import HalcyonCache
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// Entries and values over a limit of the store or of its servers.
@Suite(.integrationTest, .slow)
struct MemcachedLimitTests {
  @Test func `an entry over the item limit is passed by, and leaves no older one`() async throws {
    try await MemcachedProcess.run { servers in
      let store = servers.store(.isolated { $0.itemByteLimit = 10_000 })
      try await store.store(entry(5000), for: "a")
      try await store.store(entry(9990), for: "a")
      #expect(try await store.entry(for: "a") == nil)
      try await store.store(entry(5000), for: "a")
      try await store.store(entry(10_001), for: "a")
      #expect(try await store.entry(for: "a") == nil)
      #expect(store.statistics.oversized == 2)
      #expect(store.statistics.stores == 2)
      #expect(store.statistics.errors == 0)
    }
  }

  @Test func `a value over the limit is refused by its length, and the store goes on`() async throws {
    try await MemcachedProcess.run { servers in
      let store = servers.store(.isolated { $0.itemByteLimit = 10_000 })
      let items = ItemNames(namespace: store.configuration.namespace).items(of: "a")
      try await store.store(entry(), for: "a")
      for byteCount in [10_001, 200_000, 900_000] {
        try RawMemcached(servers[0]).set(items.value, Data(count: byteCount))
        #expect(try await store.lookUp("a").miss == .absent)
      }
      #expect(store.statistics.oversized == 3)
      #expect(store.statistics.errors == 0)
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
    let store = MemcachedStore(servers: [server], configuration: .isolated())
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
    #expect(store.statistics.oversized == 1)
    #expect(store.statistics.errors == 0)
    withExtendedLifetime(listening.port) {}
  }

  @Test func `what is not stored is said to be not stored`() async throws {
    try await MemcachedProcess.run { servers in
      let store = servers.store(.isolated { $0.itemByteLimit = 10_000 })
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

  @Test(arguments: [0, 2]) func `connections that are idle are kept up to the limit, and dropped with their server`(
    limit: Int
  ) async throws {
    try await MemcachedProcess.run { servers in
      let group = ServerGroup(
        [MemcachedServer(host: "127.0.0.1", port: servers[0].port)],
        .isolated { ($0.connectionLimit, $0.failureLimit) = (limit, 1) }, time: SystemTime())
      // Calls within calls, each over a connection of its own.
      func call(_ depth: Int) throws(MemcachedError) {
        try group.withConnection(to: 0) { connection throws(MemcachedError) in
          _ = try connection.items(["a"])
          if depth > 1 { try call(depth - 1) }
        }
      }
      try call(4)
      var kept: [Connection] = []
      while let connection = try group.request(["a"], from: 0) { kept.append(connection) }
      #expect(kept.count == limit)
      try call(1)
      group.recordFailure(0)
      #expect(try group.request(["a"], from: 0) == nil)
    }
  }

  @Test func `an entry over the limit of the server is an error, and the store goes on`() async throws {
    try await MemcachedProcess.run { servers in
      let store = servers.store(.isolated { ($0.itemByteLimit, $0.failureLimit) = (64 << 20, 100) })
      await #expect(throws: MemcachedError.self) { try await store.store(entry(3 << 20), for: "a") }
      try await store.store(entry(), for: "a")
      #expect(try await store.entry(for: "a") == entry())
    }
  }
}
#endif
