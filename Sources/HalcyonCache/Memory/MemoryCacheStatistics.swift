/// What a memory cache holds, and what it has done since it was created.
public struct MemoryCacheStatistics: Hashable, Sendable {
  /// Entries that left, by reason. An image that is replaced counts in none of them.
  public struct Evictions: Hashable, Sendable {
    /// Those that made room within ``MemoryCacheConfiguration/costLimit``.
    public var byCost = 0
    /// Those that made room within ``MemoryCacheConfiguration/countLimit``.
    public var byCount = 0
    /// Those whose time was over.
    public var byExpiration = 0
    /// Those given back because the system, or the program, asked for memory.
    public var byPressure = 0
    /// Those removed by name, and by removing all.
    public var byRemoval = 0
  }

  /// Reads that found an image.
  public internal(set) var hits = 0
  /// Those of the ``hits`` that found an evicted image because someone still held it.
  public internal(set) var hitsInUse = 0
  /// Reads of a key that had no image.
  public internal(set) var missesAbsent = 0
  /// Reads of a key whose image was there, but expired.
  public internal(set) var missesExpired = 0
  /// Images not kept because they cost more than ``MemoryCacheConfiguration/costLimit`` without
  /// ``MemoryCacheConfiguration/reuseByteLimit``, or because ``MemoryCacheConfiguration/countLimit`` allows none.
  public internal(set) var refusals = 0
  /// Bytes of pixels held.
  public internal(set) var totalCost = 0
  /// Images held.
  public internal(set) var count = 0
  /// Entries that left.
  public internal(set) var evictions = Evictions()
}
