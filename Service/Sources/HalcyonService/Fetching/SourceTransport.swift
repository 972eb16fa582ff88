import Foundation
import Halcyon
import HalcyonHTTP

/// Fetches each source where it is: in this process for hosts that no name server knows (RFC 6761), otherwise from the
/// network. A transfer waits while the bytes of many sources wait for a decoder.
struct SourceTransport: Transport {
  let network: any Transport
  /// The transports of this process by their hosts.
  let own: [String: any Transport]
  /// `nil` without storage.
  let regions: BucketRegions?
  let workload: Workload
  let metrics: ServiceMetrics

  var addressPolicy: AddressPolicy { network.addressPolicy }

  func response(to request: TransportRequest) async throws -> TransportResponse {
    try await workload.waitForTransfer()
    var response = try await counted { [own, network, regions] in
      if let transport = request.url.host().flatMap({ own[$0] }) { return try await transport.response(to: request) }
      guard let regions else { return try await network.response(to: request) }
      return try await regions.response(to: request) { try await network.response(to: $0) }
    }
    let (body, ticket) = (response.body, WorkloadTicket.current)
    response.body = TransportBody {
      body.transferTimings
    } pull: { [metrics] in
      let piece = try await body.makeAsyncIterator().next()
      let count = piece?.count ?? 0
      ticket?.receive(count)
      metrics.countSourceBytes(count)
      return piece
    }
    return response
  }

  private func counted(_ transfer: () async throws -> TransportResponse) async throws -> TransportResponse {
    let start = ContinuousClock.now
    do {
      let response = try await transfer()
      metrics.countSource(StatusLabel.text(response.status), duration: ContinuousClock.now - start)
      return response
    } catch {
      let outcome = error is CancellationError ? "cancelled" : "failed"
      metrics.countSource(outcome, duration: ContinuousClock.now - start)
      throw error
    }
  }
}
