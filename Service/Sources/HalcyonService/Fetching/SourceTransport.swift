import Foundation
import Halcyon
import HalcyonHTTP

/// Fetches each source where it is: those on hosts that no name server knows (RFC 6761) in this process, all others from
/// the network.
struct SourceTransport: Transport {
  let network: any Transport
  /// The transports of this process by their hosts.
  let own: [String: any Transport]

  var addressPolicy: AddressPolicy { network.addressPolicy }

  func response(to request: TransportRequest) async throws -> TransportResponse {
    try await (request.url.host().flatMap { own[$0] } ?? network).response(to: request)
  }
}
