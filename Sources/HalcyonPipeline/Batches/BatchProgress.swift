import HalcyonSupport

/// The progress of a batch or of a prefetch. In a prefetch, equal requests count as one image.
public struct BatchProgress: Hashable, Sendable {
  /// The number of images.
  public let totalCount: Int
  /// The number of images that were loaded, or were cached already.
  public internal(set) var completedCount = 0
  /// The number of images that failed or were cancelled.
  public internal(set) var failedCount = 0
  /// The number of images that have ended, loaded or not; ``totalCount`` at the end.
  package var endedCount: Int { completedCount + failedCount }
  /// The number of bytes received for all images together, not counting cached images; 0 for a prefetch.
  public internal(set) var receivedByteCount = 0

  /// The sum of the fractions of all images, in millionths: with integers the order of additions has no effect.
  private var millionths = 0

  init(totalCount: Int) { self.totalCount = totalCount }

  /// The mean progress of all images, from 0 to 1; 1 if there are none.
  ///
  /// Images count equally, whatever their size. An image that has ended counts as 1, even if it failed; a received one
  /// that is not decoded yet counts as a little less, so that the fraction is 1 only when all have ended.
  public var fraction: Double { totalCount == 0 ? 1 : Double(millionths) / Double(totalCount * BatchItemProgress.end) }

  mutating func advance(_ part: BatchItemProgress, to newPart: BatchItemProgress) {
    millionths += newPart.millionths - part.millionths
    receivedByteCount += newPart.receivedByteCount - part.receivedByteCount
  }
}

extension BatchProgress: CustomStringConvertible {
  /// For example `9 of 10 images, 1 failed, 24576 bytes, 93 %`.
  public var description: String {
    let failed = failedCount > 0 ? ", \(failedCount) failed" : ""
    return
      "\(endedCount) of \(totalCount.counted("image"))\(failed), \(receivedByteCount.counted("byte")), \(Int(fraction * 100)) %"
  }
}

/// The progress of one image of a batch.
struct BatchItemProgress: Sendable {
  /// The value of an image that has ended.
  static let end = 1_000_000

  var millionths = 0
  var receivedByteCount = 0
}
