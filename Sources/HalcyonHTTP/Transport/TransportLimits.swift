/// What a transfer may take.
public struct TransportLimits: Hashable, Sendable {
  /// The longest wait for a connection, name look-up and TLS included. Default: 10 seconds.
  public var connectTimeout: Duration
  /// The longest wait for the next byte. Default: 15 seconds.
  public var idleTimeout: Duration
  /// The longest that one transfer may take from its start to the end of its body, a slow reader included. Default:
  /// `nil`, none: a server that sends a byte now and then is only ended by this.
  public var totalTimeout: Duration?
  /// The most bytes of the answer's head. Default: 64 KiB.
  public var headerByteCount: Int

  /// Creates limits.
  public init(
    connectTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(15), totalTimeout: Duration? = nil,
    headerByteCount: Int = 64 << 10
  ) {
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
    self.totalTimeout = totalTimeout
    self.headerByteCount = headerByteCount
  }
}
