#if canImport(CHalcyonMemcached)
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// Addresses of servers, and which of them has a key.
@Suite(.unitTest)
struct MemcachedServerTests {
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
}
#endif
