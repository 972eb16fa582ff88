import Foundation
package import Halcyon
import Synchronization

/// Counts what comes over the network.
package final class CountingTransport: Transport {
  /// What has come.
  package struct Count: Sendable {
    /// Answers.
    package var answers = 0
    /// Bytes of their bodies.
    package var bytes = 0
  }

  private let transport: any Transport
  private let count = Mutex(Count())

  /// Counts for another transport.
  package init(_ transport: any Transport = ImagePipeline.standardTransport) {
    self.transport = transport
  }

  /// What has come so far.
  package var current: Count { count.withLock { $0 } }

  package func response(to request: TransportRequest) async throws -> TransportResponse {
    var response = try await transport.response(to: request)
    count.withLock { $0.answers += 1 }
    let body = response.body
    response.body = TransportBody(timings: { body.transferTimings }) { [self] in
      let piece = try await body.makeAsyncIterator().next()
      count.withLock { $0.bytes += piece?.count ?? 0 }
      return piece
    }
    return response
  }
}
