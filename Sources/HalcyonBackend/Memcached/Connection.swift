#if canImport(CHalcyonMemcached)
import CHalcyonMemcached
import Foundation
import HalcyonSupport

/// A connection to one server. All calls block for at most a few timeouts.
///
/// Unchecked: it is used by one thread at a time, the one that has taken it from the idle ones of its server.
final class Connection: @unchecked Sendable {
  /// A value, and the number of its version on the server.
  struct Item {
    let data: Data
    let version: UInt64
  }

  private let server: MemcachedServer
  private let timeout: Duration
  private let itemByteLimit: Int
  private let handle: UnsafeMutablePointer<memcached_st>

  init(_ server: MemcachedServer, timeout: Duration, itemByteLimit: Int) throws(MemcachedError) {
    guard let handle = memcached_create(nil) else { throw .failed(server: server, reason: "no memory") }
    (self.server, self.timeout, self.itemByteLimit, self.handle) = (server, timeout, itemByteLimit, handle)
    let milliseconds = UInt64((timeout / .milliseconds(1)).rounded(.up).clamped(to: 1...Double(Int32.max), nan: 1))
    let behaviors: [(memcached_behavior_t, UInt64)] = [
      (MEMCACHED_BEHAVIOR_NO_BLOCK, 1), (MEMCACHED_BEHAVIOR_TCP_NODELAY, 1),
      (MEMCACHED_BEHAVIOR_SUPPORT_CAS, 1), (MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, milliseconds),
      (MEMCACHED_BEHAVIOR_POLL_TIMEOUT, milliseconds),
    ]
    for (behavior, value) in behaviors { memcached_behavior_set(handle, behavior, value) }
    try check(Self.limitAllocations(of: handle, itemByteLimit))
    try check(memcached_server_add(handle, server.host, in_port_t(server.port)))
  }

  /// Refuses memory for values and buffers over the limit. libmemcached allocates a value when it has read its length,
  /// and closes the connection if that fails.
  private static func limitAllocations(
    of handle: UnsafeMutablePointer<memcached_st>, _ itemByteLimit: Int
  ) -> memcached_return_t {
    memcached_set_memory_allocators(
      handle,
      { _, size, limit in size > UInt(bitPattern: limit) ? nil : malloc(size) },
      { _, memory, _ in free(memory) },
      { _, memory, size, limit in size > UInt(bitPattern: limit) ? nil : realloc(memory, size) },
      { _, count, size, _ in calloc(count, size) },
      UnsafeMutableRawPointer(bitPattern: min(max(itemByteLimit, 0), .max / 2) + (64 << 10)))
  }

  deinit { memcached_free(handle) }

  /// The existing items under several keys.
  func items(_ keys: [String]) throws(MemcachedError) -> FoundItems {
    try request(keys)
    return try requestedItems(keys)
  }

  /// Sends the request for items, which ``requestedItems(_:)`` returns. Does not wait on a connection that was used before
  /// and is idle: the request fits into the send buffer.
  func request(_ keys: [String]) throws(MemcachedError) { try check(Self.request(keys, handle)) }

  /// The requested items that exist. Items after one over the limit are left out.
  func requestedItems(_ keys: [String]) throws(MemcachedError) -> FoundItems {
    var items = FoundItems(keys)
    while true {
      var status = MEMCACHED_SUCCESS
      guard let result = memcached_fetch_result(handle, nil, &status) else {
        // The status is "not found" then.
        if memcached_last_error(handle) == MEMCACHED_MEMORY_ALLOCATION_FAILURE {
          items.isOverLimit = true
          return items
        }
        if status == MEMCACHED_END || status == MEMCACHED_NOTFOUND || status == MEMCACHED_SUCCESS { return items }
        throw error(status)
      }
      defer { memcached_result_free(result) }
      guard status == MEMCACHED_SUCCESS else { throw error(status) }
      guard memcached_result_length(result) <= itemByteLimit else {
        items.isOverLimit = true
        continue
      }
      let key = UnsafeRawBufferPointer(
        start: memcached_result_key_value(result), count: memcached_result_key_length(result))
      items.add(Item(data: Self.takeValue(of: result), version: memcached_result_cas(result)), key: key)
    }
  }

  func set(_ key: String, _ data: Data, exptime: Int) throws(MemcachedError) {
    try check(data.withUnsafeBytes { memcached_set(handle, key, key.utf8.count, Self.start($0), $0.count, exptime, 0) })
  }

  /// Stores an item unless there is one; returns whether it was stored.
  func add(_ key: String, _ data: Data, exptime: Int) throws(MemcachedError) -> Bool {
    let status = data.withUnsafeBytes {
      memcached_add(handle, key, key.utf8.count, Self.start($0), $0.count, exptime, 0)
    }
    if status == MEMCACHED_NOTSTORED || status == MEMCACHED_DATA_EXISTS { return false }
    try check(status)
    return true
  }

  /// Replaces a version of an item; returns whether it still was that version.
  func replace(_ key: String, _ data: Data, version: UInt64, exptime: Int) throws(MemcachedError) -> Bool {
    let status = data.withUnsafeBytes {
      memcached_cas(handle, key, key.utf8.count, Self.start($0), $0.count, exptime, 0, version)
    }
    if [MEMCACHED_DATA_EXISTS, MEMCACHED_NOTFOUND, MEMCACHED_NOTSTORED].contains(status) { return false }
    try check(status)
    return true
  }

  func remove(_ key: String) throws(MemcachedError) {
    let status = memcached_delete(handle, key, key.utf8.count, 0)
    if status != MEMCACHED_NOTFOUND { try check(status) }
  }

  /// Fails unless the server responds.
  func checkServer() throws(MemcachedError) { try check(memcached_version(handle)) }

  private func check(_ status: memcached_return_t) throws(MemcachedError) {
    guard status == MEMCACHED_SUCCESS || status == MEMCACHED_STORED || status == MEMCACHED_DELETED else {
      throw error(status)
    }
  }

  private func error(_ status: memcached_return_t) -> MemcachedError {
    if status == MEMCACHED_TIMEOUT { return .timedOut(server: server, limit: timeout) }
    let reason = memcached_last_error_message(handle) ?? memcached_strerror(handle, status)
    return .failed(server: server, reason: reason.map { String(cString: $0) } ?? "status \(status.rawValue)")
  }

  private static func request(
    _ keys: [String], _ handle: UnsafeMutablePointer<memcached_st>
  ) -> memcached_return_t {
    let texts = keys.map { strdup($0) }
    defer { for text in texts { free(text) } }
    let starts = texts.map { $0.map { UnsafePointer($0) } }
    return memcached_mget(handle, starts, keys.map(\.utf8.count), keys.count)
  }

  /// Takes the bytes of a result, which no longer owns them.
  private static func takeValue(of result: UnsafeMutablePointer<memcached_result_st>) -> Data {
    let count = memcached_result_length(result)
    guard count > 0, let bytes = memcached_result_take_value(result) else { return Data() }
    return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
  }

  private static func start(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
    bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
  }
}

/// The items that a server has of some keys.
struct FoundItems {
  private let keys: [String]
  private var items: [Connection.Item?]
  /// Whether the server has an item that is over the limit.
  var isOverLimit = false

  init(_ keys: [String]) { (self.keys, items) = (keys, Array(repeating: nil, count: keys.count)) }

  subscript(key: String) -> Connection.Item? { keys.firstIndex(of: key).flatMap { items[$0] } }

  mutating func add(_ item: Connection.Item, key: UnsafeRawBufferPointer) {
    if let index = keys.firstIndex(where: { $0.utf8.elementsEqual(key) }) { items[index] = item }
  }
}
#endif
