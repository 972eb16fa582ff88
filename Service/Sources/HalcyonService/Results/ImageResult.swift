import Foundation
import Halcyon

/// The file that a path stands for, before it becomes a response.
struct ImageResult: Sendable {
  var data: Data
  var format: ImageFormat
  /// Whether it had been made before.
  var isHit: Bool
  /// Whether the source was received for it.
  var isFetched = false
  /// The tier of the cache in which it was; `nil` if it was made, or in memory.
  var storeTier: String?
  /// The head of the response of the source.
  var head: ResponseHead?
  /// Whether another `Accept` may have another result.
  var dependsOnAccept = false
  /// The status of the response, if this is the fallback image.
  var fallbackStatus: Int?
  /// For how long the source needs no revalidation; `nil` if that is not known.
  var freshness: Duration?
  /// Whether the source is unchanged; `nil` if only ``freshness`` says so.
  var isCurrent: (@Sendable () -> Bool)?
}
