/// How long the phases of one transfer took, each measured from its start.
///
/// A connection that is used again has no phases before the first byte: they are zero.
public struct TransportTimings: Hashable, Sendable {
  /// Until the name was resolved; zero on a connection used again.
  public var nameLookup: Duration
  /// Until the connection was there; zero on one used again.
  public var connect: Duration
  /// Until TLS was agreed on; zero without TLS and on a connection used again.
  public var secureConnect: Duration
  /// Until the first byte of the answer.
  public var firstByte: Duration
  /// Until the end.
  public var total: Duration
  /// The version of HTTP, for example `1.1` or `2`.
  public var httpVersion: String
  /// Whether the connection had served another transfer before.
  public var reusedConnection: Bool
  /// Bytes of the body as they came over the network, compressed ones not unpacked.
  public var receivedByteCount: Int

  /// Creates timings.
  public init(
    nameLookup: Duration, connect: Duration, secureConnect: Duration, firstByte: Duration, total: Duration,
    httpVersion: String, reusedConnection: Bool, receivedByteCount: Int = 0
  ) {
    self.nameLookup = nameLookup
    self.connect = connect
    self.secureConnect = secureConnect
    self.firstByte = firstByte
    self.total = total
    self.httpVersion = httpVersion
    self.reusedConnection = reusedConnection
    self.receivedByteCount = receivedByteCount
  }

  /// How fast the body came: bytes a second from the first byte to the end; `nil` when that took no measurable time.
  public var bytesPerSecond: Double? {
    total > firstByte ? Double(receivedByteCount) / ((total - firstByte) / .seconds(1)) : nil
  }
}
