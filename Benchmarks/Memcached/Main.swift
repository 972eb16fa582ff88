#if canImport(CMemcached)
import CMemcached
import Foundation
import HalcyonCache
import HalcyonMemcached
import HalcyonSupport
import TestSupport

/// Reads an image from a memcached server through the store and by libmemcached alone, and prints how long the first
/// takes relative to the second.
@main
enum Main {
  private static let rounds = 40
  private static let readsPerRound = 500

  struct Failure: Error {}

  static func main() async throws {
    let port = try Socket.bound().port
    let output = Pipe()
    let server = try ChildProcess(
      "/usr/bin/memcached", ["-u", "nobody", "-l", "127.0.0.1", "-p", "\(port)", "-U", "0"],
      output: output.fileHandleForWriting.fileDescriptor)
    defer {
      server.send(SIGKILL)
      _ = server.end()
    }
    while (try? Socket.connected(toPort: port)) == nil { usleep(10_000) }
    for byteCount in [2000, 20_000, 200_000] { try await compare(byteCount, port) }
  }

  // Not on the main thread: services call from Swift's cooperative threads.
  @concurrent
  private static func compare(_ byteCount: Int, _ port: UInt16) async throws {
    var configuration = MemcachedConfiguration()
    configuration.timeout = .seconds(10)
    let store = MemcachedStore(
      servers: [MemcachedServer(host: "127.0.0.1", port: port)], configuration: configuration)
    let body = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let key = CacheKey("|url=25:https://a.example/1.jpeg|plan=3:abc")
    let entry = StoredEntry(
      body: body,
      metadata: EntryMetadata(
        url: URL(string: "https://a.example/1.jpeg"),
        headers: ["Content-Type": "image/jpeg", "ETag": "\"abc\"", "Cache-Control": "max-age=10000"],
        requestDate: .now, responseDate: .now))
    try await store.store(entry, for: key)
    guard let handle = memcached_create(nil) else { throw Failure() }
    defer { memcached_free(handle) }
    memcached_behavior_set(handle, MEMCACHED_BEHAVIOR_TCP_NODELAY, 1)
    memcached_server_add(handle, "127.0.0.1", in_port_t(port))
    _ = body.withUnsafeBytes { bytes in
      memcached_set(handle, "bare", 4, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, 0, 0)
    }
    // In turn, so that other programs slow down both.
    var (times, bareTimes): ([Double], [Double]) = ([], [])
    for _ in 1...rounds {
      bareTimes.append(try time { try readBare(handle, byteCount) })
      let start = ContinuousClock.now
      for _ in 0..<readsPerRound { guard try await store.entry(for: key) != nil else { throw Failure() } }
      times.append((ContinuousClock.now - start) / .microseconds(1) / Double(readsPerRound))
    }
    print("METRIC memcached_lookup_\(byteCount) \(rounded(median(times))) us")
    print("METRIC memcached_bare_get_\(byteCount) \(rounded(median(bareTimes))) us")
    let ratio = median(zip(times, bareTimes).map { $0 / $1 })
    print("METRIC memcached_lookup_to_bare_\(byteCount) \(rounded(ratio)) times goal <= 1.5")
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func readBare(_ handle: UnsafeMutablePointer<memcached_st>, _ byteCount: Int) throws {
    for _ in 0..<readsPerRound {
      var (count, flags, status): (Int, UInt32, memcached_return_t) = (0, 0, MEMCACHED_SUCCESS)
      let value = memcached_get(handle, "bare", 4, &count, &flags, &status)
      guard count == byteCount else { throw Failure() }
      free(value)
    }
  }

  private static func time(_ work: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure { try work() } / .microseconds(1) / Double(readsPerRound)
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
#else
@main
enum Main {
  static func main() { print("Build with --traits Memcached.") }
}
#endif
