/// The settings of a ``MemcachedStore``.
public struct MemcachedConfiguration: Hashable, Sendable {
  /// Separates the entries of this store from others on the same servers: 1 to 64 letters, digits, `-`, `_` and `.`.
  /// Default: `halcyon`.
  public var namespace = "halcyon"
  /// The longest time for a call, including the connection. Default: 50 milliseconds.
  public var timeout = Duration.milliseconds(50)
  /// The most bytes of an entry with its key and metadata; a larger one is not stored. Default: 1,000,000, which the
  /// 1 MiB of a server (its option `-I`) leaves for values.
  public var itemByteLimit = 1_000_000
  /// How long an entry is kept after it is no longer fresh, to be revalidated or served stale. Default: a day.
  ///
  /// Entries with an expiration of their own have that instead.
  public var staleLifetime = Duration.seconds(86_400)
  /// The most connections to a server, each with a thread while it is in use. Default: 8.
  public var connectionLimit = 8
  /// The failures in a row after which a server is ejected. Default: 3.
  public var failureLimit = 3
  /// The time until an ejected server is tried again; doubled up to 32 times while it fails. Default: 1 second.
  public var retryInterval = Duration.seconds(1)

  /// Creates the defaults.
  public init() {}
}
