#if canImport(CHalcyonMemcached)
import CHalcyonMemcached
import Foundation
import HalcyonCache
import HalcyonBackend
import HalcyonSupport
import HalcyonTestSupport

/// Reads an image from a memcached server through the store and by libmemcached alone, and prints how long the first
/// takes relative to the second.
///
/// A look-up of the store reads three items, the entry and two generations, and its caller is suspended until a thread
/// has received them. So libmemcached is also measured with the three items, and on a thread of a pool.
@main
enum Main {
  private static let itemNames = ["bare", "gen1", "gen2"]
  private static let lengths = [4, 4, 4]
  // Only read, and never freed: libmemcached takes pointers.
  nonisolated(unsafe) private static let keys: [UnsafePointer<CChar>?] = itemNames.map { UnsafePointer(strdup($0)) }
  private static let rounds = ProcessInfo.processInfo.environment["ROUNDS"].flatMap { Int($0) } ?? 40
  private static let readsPerRound = 500

  struct Failure: Error {}

  static func main() async {
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("halcyon-bench-memcached: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
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
    for name in itemNames.dropFirst() { memcached_set(handle, name, 4, "12345678", 8, 0, 0) }
    let pool = WorkerPool(name: "bench", width: 1, spins: true)
    // Used by one thread at a time: each read is awaited before the next one.
    nonisolated(unsafe) let threadHandle = handle
    // In turn, so that other programs slow down both.
    var (times, bareTimes, threeTimes, threadTimes): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 1...rounds {
      bareTimes.append(try await time { try readBare(handle, byteCount) })
      threeTimes.append(try await time { try readThree(handle, byteCount) })
      threadTimes.append(try await time { try await pool.run { _ in try readThree(threadHandle, byteCount) } })
      times.append(try await time { guard try await store.entry(for: key) != nil else { throw Failure() } })
    }
    print("METRIC memcached_lookup_\(byteCount) \(rounded(median(times))) us")
    print("METRIC memcached_bare_get_\(byteCount) \(rounded(median(bareTimes))) us")
    print("METRIC memcached_bare_get_of_three_\(byteCount) \(rounded(median(threeTimes))) us")
    print("METRIC memcached_bare_get_of_three_on_thread_\(byteCount) \(rounded(median(threadTimes))) us")
    print("METRIC memcached_lookup_to_bare_\(byteCount) \(ratio(times, bareTimes)) times goal <= 1.5")
    print("METRIC memcached_lookup_to_bare_of_three_on_thread_\(byteCount) \(ratio(times, threadTimes)) times")
  }

  private static func ratio(_ times: [Double], _ others: [Double]) -> Double {
    rounded(median(zip(times, others).map { $0 / $1 }))
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func readBare(_ handle: UnsafeMutablePointer<memcached_st>, _ byteCount: Int) throws {
    var (count, flags, status): (Int, UInt32, memcached_return_t) = (0, 0, MEMCACHED_SUCCESS)
    let value = memcached_get(handle, "bare", 4, &count, &flags, &status)
    guard count == byteCount else { throw Failure() }
    free(value)
  }

  /// Reads the value and two of eight bytes with one request.
  private static func readThree(_ handle: UnsafeMutablePointer<memcached_st>, _ byteCount: Int) throws {
    guard
      keys.withUnsafeBufferPointer({ memcached_mget(handle, $0.baseAddress, lengths, $0.count) }) == MEMCACHED_SUCCESS
    else { throw Failure() }
    var received = 0
    var status = MEMCACHED_SUCCESS
    while let result = memcached_fetch_result(handle, nil, &status) {
      received += memcached_result_length(result)
      memcached_result_free(result)
    }
    guard received == byteCount + 16 else { throw Failure() }
  }

  private static func time(_ read: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<readsPerRound { try await read() }
    return (ContinuousClock.now - start) / .microseconds(1) / Double(readsPerRound)
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
#else
@main
enum Main {
  static func main() { print("Build with --traits Memcached.") }
}
#endif
