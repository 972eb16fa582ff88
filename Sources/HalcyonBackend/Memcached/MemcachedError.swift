public import HalcyonSupport

/// Why a call of a ``MemcachedStore`` failed.
@nonexhaustive
public enum MemcachedError: Error, Hashable {
  /// The server did not respond within the timeout.
  case timedOut(server: MemcachedServer, limit: Duration)
  /// The connection failed, or the response was an error; the reason comes from libmemcached.
  case failed(server: MemcachedServer, reason: String)
  /// All servers are ejected; none was contacted.
  case unavailable
  /// The removal has not reached these servers: other processes may still find the entries there.
  case notRemoved(servers: [MemcachedServer])
  /// The metadata of the entry is too large to be stored.
  case metadataTooLarge
  /// The entry was changed by others again and again while its metadata was to be replaced.
  case conflict
}

extension MemcachedError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .timedOut(let server, let limit):
      "memcached at \(server) took longer than \(limit). Check its load and the network, or raise timeout."
    case .failed(let server, let reason):
      "memcached at \(server) failed: \(reason.printable). Check that it is running and reachable."
    case .unavailable:
      "All memcached servers are ejected after failures. They are tried again by later calls."
    case .notRemoved(let servers):
      "Entries may be left on \(servers.map(\.description).joined(separator: ", ")). Remove again once they are back."
    case .metadataTooLarge:
      "The metadata of the entry is over 64 KiB. Shorten its tags, userInfo or URL."
    case .conflict:
      "The entry was changed by other clients meanwhile. Try again."
    }
  }
}
