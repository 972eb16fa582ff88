/// Timeouts and size limits of a transfer.
///
/// ```swift
/// let pipeline = ImagePipeline { $0.transportLimits.totalTimeout = .seconds(30) }
/// ```
public struct TransportLimits: Hashable, Sendable {
  /// The timeout for a connection, including name resolution and TLS. Default: 10 seconds.
  ///
  /// `URLSessionTransport` on Apple platforms does not know when it has connected: there the response has to begin within
  /// this limit and ``idleTimeout`` together.
  public var connectTimeout: Duration
  /// The longest wait for the next byte. Default: 15 seconds.
  public var idleTimeout: Duration
  /// The timeout for the whole transfer, including the time in which its body is not read. Default: `nil`, none.
  ///
  /// Only this limit ends the response of a server that sends a byte now and then.
  public var totalTimeout: Duration?
  /// The size limit of the response head, in bytes. Default: 256 KiB, as in browsers.
  ///
  /// libcurl refuses a single field over 100 KiB, and from version 8.3 on heads over 300 KiB.
  public var headerByteCount: Int

  /// Creates limits.
  public init(
    connectTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(15), totalTimeout: Duration? = nil,
    headerByteCount: Int = 256 << 10
  ) {
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
    self.totalTimeout = totalTimeout
    self.headerByteCount = headerByteCount
  }
}
