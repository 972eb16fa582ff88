/// How far a set of images has come.
public struct BatchProgress: Hashable, Sendable {
  /// Images in all.
  public let totalCount: Int
  /// Images that are there.
  public internal(set) var completedCount = 0
  /// Images that failed or were cancelled.
  public internal(set) var failedCount = 0
  /// Bytes that have arrived for all images together; those that were in a cache add none.
  public internal(set) var receivedByteCount = 0

  /// The fractions of all images, summed in millionths: sums of whole numbers come out the same in every order.
  private var millionths = 0

  init(totalCount: Int) { self.totalCount = totalCount }

  /// From 0 to 1, every image counting the same, whatever its size; one that has ended counts 1, also when it failed.
  public var fraction: Double { totalCount == 0 ? 1 : Double(millionths) / Double(totalCount * 1_000_000) }

  mutating func advance(_ part: BatchItemProgress, to newPart: BatchItemProgress) {
    millionths += newPart.millionths - part.millionths
    receivedByteCount += newPart.receivedByteCount - part.receivedByteCount
  }
}

/// One image's part of the progress.
struct BatchItemProgress: Sendable {
  var millionths = 0
  var receivedByteCount = 0
}
