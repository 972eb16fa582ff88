/// How far a load has come.
public struct LoadProgress: Hashable, Sendable {
  /// Bytes of the body that have arrived.
  public var receivedByteCount: Int
  /// Bytes that the server said it would send, or `nil` when it said nothing.
  public var expectedByteCount: Int?

  /// Creates a progress.
  public init(receivedByteCount: Int, expectedByteCount: Int?) {
    self.receivedByteCount = receivedByteCount
    self.expectedByteCount = expectedByteCount
  }

  /// From 0 to 1; 0 while the length is unknown.
  public var fraction: Double {
    guard let expectedByteCount, expectedByteCount > 0 else { return 0 }
    return min(1, Double(receivedByteCount) / Double(expectedByteCount))
  }
}
