#if canImport(CHalcyonMemcached)
import CHalcyonMemcached

/// The servers on a ring, by ketama's consistent hash: clients with the same list of servers find the same server for a
/// key, and a server that is added or lost moves only its own share of the keys.
///
/// Unchecked: its handle is only read once it is made.
final class HashRing: @unchecked Sendable {
  private let handle: UnsafeMutablePointer<memcached_st>?
  /// The numbers of the servers on the ring.
  private let numbers: [Int]

  /// - Parameter servers: The servers on the ring, by their numbers.
  init(_ servers: [(number: Int, server: MemcachedServer)]) {
    numbers = servers.map(\.number)
    handle = memcached_create(nil)
    memcached_behavior_set(handle, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1)
    for (_, server) in servers { memcached_server_add(handle, server.host, in_port_t(server.port)) }
  }

  deinit { memcached_free(handle) }

  /// The number of the server of a key; `nil` on an empty ring.
  func server(for key: String) -> Int? {
    guard numbers.count > 1, let handle else { return numbers.first }
    let index = Int(memcached_generate_hash(handle, key, key.utf8.count))
    return numbers.indices.contains(index) ? numbers[index] : nil
  }
}
#endif
