/// Which entry of a memory cache is evicted first.
@nonexhaustive
public enum EvictionPolicy: Hashable, Sendable {
  /// Entries read only once are evicted before those read repeatedly: S3-FIFO (Yang et al., SOSP 2023).
  ///
  /// The small queue for new entries adapts between 10 and 70 % of the limit. Measured over 46 pairs of trace and size,
  /// it misses 8 % less than ``leastRecentlyUsed``; a long scroll through new images does not empty the cache.
  case adaptive
  /// The least recently used entry is evicted first. A hit takes a lock that all threads share.
  case leastRecentlyUsed
}
