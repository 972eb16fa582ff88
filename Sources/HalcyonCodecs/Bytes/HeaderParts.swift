import HalcyonImaging
import HalcyonSupport

/// Counts the parts of a header: segments, chunks, boxes, entries of tables. Their number bounds the work for a header,
/// which is read before any limit of pixels applies.
struct HeaderParts {
  /// A grid of 10,000 tiles has 100,000 parts; other files have a few hundred.
  static let limit = 1 << 18
  private static let countBetweenChecks = 1 << 10

  private let format: ImageFormat
  private let limit: Int
  private var count = 0

  init(_ format: ImageFormat, limit: Int = Self.limit) { (self.format, self.limit) = (format, limit) }

  /// - Throws: `ImageDecodingError.unsupportedFeature` over the limit, `.cancelled` once the work of the calling thread or
  ///   task has been cancelled.
  mutating func add() throws(ImageDecodingError) {
    count += 1
    guard count <= limit else { throw .unsupportedFeature(format, feature: "a header of over \(limit) parts") }
    if count % Self.countBetweenChecks == 0, CancellationFlag.isCurrentCancelled { throw .cancelled }
  }
}
