/// The progress of a download.
public struct LoadProgress: Hashable, Sendable {
  /// The number of bytes of the body received so far, including the bytes of an earlier transfer that was resumed.
  public var receivedByteCount: Int
  /// The length of the body in bytes; `nil` if the server does not announce it.
  public var expectedByteCount: Int?

  package init(receivedByteCount: Int, expectedByteCount: Int?) {
    self.receivedByteCount = receivedByteCount
    self.expectedByteCount = expectedByteCount
  }

  /// The fraction received, from 0 to 1; `nil` where the length is unknown.
  public var fraction: Double? {
    guard let expectedByteCount, expectedByteCount > 0 else { return nil }
    return min(1, Double(receivedByteCount) / Double(expectedByteCount))
  }
}
