#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ServiceConfiguration {
  /// The most connections of clients at the same time; others wait until one ends. They leave enough file descriptors
  /// for the work on requests.
  var connectionLimit: Int { connectionLimit(descriptorLimit: Self.descriptorLimit) }

  /// No further source is fetched while this many bytes of sources wait for a decoder; enough to keep all decoders
  /// busy.
  var fetchedByteLimit: Int { min(concurrency, 1 << 20) * (16 << 20) }

  /// The bytes of results that clients have not read yet, from which on the connections that have waited longest are closed.
  var unreadByteLimit: Int { max(64 << 20, min(memoryByteCount, .max / 2) * 2) }

  func connectionLimit(descriptorLimit: Int) -> Int {
    // Sources and entries of the cache that are read and written, and what a process opens at its start.
    let reserved = 2 * min(concurrency, 10_000) + min(sourceConnections, 10_000) + 128
    return min(clientConnections ?? .max, max(1, descriptorLimit - min(reserved, descriptorLimit / 2)))
  }

  /// With fewer file descriptors the libraries of a process end it.
  static let leastDescriptorLimit = 128

  /// The most file descriptors of this process.
  static var descriptorLimit: Int {
    var limit = rlimit()
    #if canImport(Glibc)
    let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
    let status = getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return status == 0 ? Int(clamping: limit.rlim_cur) : 256
  }
}
