import Foundation
import NIOCore
import NIOFoundationCompat

/// A result in memory, until the ``ResponseCache`` drops it.
final class CachedResult: Sendable {
  let response: ResultResponse
  /// The bytes of the result, which `response` shares.
  let body: ByteBuffer
  private let end: Duration
  private let isUnchanged: (@Sendable () -> Bool)?

  /// - Parameters:
  ///   - end: Until when it is fresh, as uptime.
  ///   - isUnchanged: Whether its source has not changed, asked for each time; `nil` leaves that to `end`.
  init(_ response: ResultResponse, until end: Duration, isUnchanged: (@Sendable () -> Bool)?) {
    body = ByteBuffer(bytes: response.data)
    self.response = response.replacingData(by: Data(buffer: body, byteTransferStrategy: .noCopy))
    self.end = end
    self.isUnchanged = isUnchanged
  }

  /// Whether it may be sent without asking the pipeline.
  func isCurrent(at uptime: Duration) -> Bool { uptime < end && isUnchanged?() ?? true }
}

/// A response that was made from a result in memory.
struct CachedResponse: Sendable {
  let response: ServiceResponse
  let result: CachedResult
}
