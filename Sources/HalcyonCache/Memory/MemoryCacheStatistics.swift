/// The contents of a memory cache, and its counters since creation.
public struct MemoryCacheStatistics: Hashable, Sendable {
  /// Removed entries by reason, without replaced ones.
  public struct Evictions: Hashable, Sendable {
    /// Entries evicted to stay within ``MemoryCacheConfiguration/costLimit``.
    public var byCost = 0
    /// Entries evicted to stay within ``MemoryCacheConfiguration/countLimit``.
    public var byCount = 0
    /// Entries removed because they had expired.
    public var byExpiration = 0
    /// Entries evicted under memory pressure, or by a call to trim the cache.
    public var byPressure = 0
    /// Entries removed by key, or with all others.
    public var byRemoval = 0
  }

  /// Reads that found an image.
  public internal(set) var hits = 0
  /// The part of ``hits`` that found an evicted image which was still in use.
  public internal(set) var hitsInUse = 0
  /// Reads of a key without an image.
  public internal(set) var missesAbsent = 0
  /// Reads of a key whose image had expired.
  public internal(set) var missesExpired = 0
  /// Images not stored, because they cost more than ``MemoryCacheConfiguration/costLimit`` minus
  /// ``MemoryCacheConfiguration/reuseByteLimit``, or because ``MemoryCacheConfiguration/countLimit`` allows none.
  public internal(set) var rejections = 0
  /// The bytes of pixels of all images.
  public internal(set) var totalCost = 0
  /// The number of images.
  public internal(set) var count = 0
  /// Removed entries by reason.
  public internal(set) var evictions = Evictions()
}
