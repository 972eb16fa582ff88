/// The settings of an ``S3Store``.
public struct S3StoreConfiguration: Hashable, Sendable {
  /// The prefix of all keys in the bucket: letters, digits, `-`, `_`, `.` and `/`. Default: `halcyon/`.
  ///
  /// ``S3Store/removeAll()`` removes what begins with it and has the form of the store's keys, nothing else.
  public var prefix = "halcyon/"
  /// Whether original bytes are stored as well, not only the images made from them. Default: no, their servers have them.
  public var storesOriginals = false
  /// The most bytes of an entry; a larger one is neither stored nor read. Default: 64 MiB.
  public var entryByteLimit = 64 << 20
  /// The most bytes of all entries that are being read at once; an entry beyond it is a miss. Default: 256 MiB.
  public var readByteLimit = 256 << 20
  /// The longest time for a request, without its retries. Default: 5 seconds.
  public var timeout = Duration.seconds(5)
  /// How often a request is retried after a failed connection, or a status of 429, 500, 502, 503 or 504. Default: 2.
  public var retryCount = 2
  /// The wait before the first retry, doubled with each. Default: 50 milliseconds.
  public var retryInterval = Duration.milliseconds(50)

  /// Creates the defaults.
  public init() {}
}
