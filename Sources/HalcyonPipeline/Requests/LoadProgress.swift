/// How far a load has come.
public struct LoadProgress: Hashable, Sendable {
  /// Bytes of the body that have arrived, those of an earlier transfer that was taken up again included.
  public var receivedByteCount: Int
  /// Bytes that the server said it would send, or `nil` when it said nothing.
  public var expectedByteCount: Int?
  /// The mean speed of the transfer so far, in bytes a second; `nil` at its first byte.
  public var bytesPerSecond: Double?

  /// Creates a progress.
  public init(receivedByteCount: Int, expectedByteCount: Int?, bytesPerSecond: Double? = nil) {
    self.receivedByteCount = receivedByteCount
    self.expectedByteCount = expectedByteCount
    self.bytesPerSecond = bytesPerSecond
  }

  /// From 0 to 1; 0 while the length is unknown.
  public var fraction: Double {
    guard let expectedByteCount, expectedByteCount > 0 else { return 0 }
    return min(1, Double(receivedByteCount) / Double(expectedByteCount))
  }
}
