import Foundation
package import Halcyon
import HalcyonHTTP
import Synchronization

/// A transport that counts the downloaded images and the bytes of another one.
package final class CountingTransport: Transport {
  /// The images and bytes received.
  package struct Count: Sendable {
    /// The number of responses with an image.
    package var responses = 0
    /// The bytes of their bodies.
    package var bytes = 0
  }

  private let transport: any Transport
  private let count = Mutex(Count())

  /// Wraps a transport.
  package init(_ transport: any Transport = PipelineConfiguration().transport) {
    self.transport = transport
  }

  /// The totals so far.
  package var current: Count { count.withLock { $0 } }

  package func response(to request: TransportRequest) async throws -> TransportResponse {
    var response = try await transport.response(to: request)
    // A 304 has no image, and neither has an error.
    if (200..<300).contains(response.status) { count.withLock { $0.responses += 1 } }
    let body = response.body
    response.body = TransportBody(timings: { body.transferTimings }) { [self] in
      let chunk = try await body.makeAsyncIterator().next()
      count.withLock { $0.bytes += chunk?.count ?? 0 }
      return chunk
    }
    return response
  }
}
