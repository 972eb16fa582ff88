import Foundation
import Halcyon

/// The file that a path stands for, before it becomes a response.
struct ImageResult: Sendable {
  var data: Data
  var format: ImageFormat
  /// Whether it had been made before.
  var isHit: Bool
  /// The head of the response of the source.
  var head: ResponseHead?
  /// Whether another `Accept` may have another result.
  var dependsOnAccept = false
}
