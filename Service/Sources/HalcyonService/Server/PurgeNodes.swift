import Foundation
import HTTPTypes
import Halcyon
import HalcyonHTTP
@_spi(Programs) import HalcyonProcessing
import HalcyonTransport
import Logging

/// The other nodes of a fleet, each of which gets the purges of this one.
struct PurgeNodes: Sendable {
  /// Marks a purge that another node sends on, and that goes no further.
  private static let forwarded = "Halcyon-Forwarded"

  private let urls: [URL]
  private let limits: TransportLimits
  private let transport = CurlTransport()
  private let logger: Logger

  init(_ configuration: ServiceConfiguration, logger: Logger) {
    urls = configuration.purgeNodes
    limits = TransportLimits(connectTimeout: .seconds(2), totalTimeout: configuration.deadline)
    self.logger = logger
  }

  /// Sends a purge that a client has sent on to all nodes at once.
  ///
  /// - Parameter headers: The fields of the client's request, whose authorization is passed on.
  /// - Returns: Whether every node has purged the source.
  func purge(_ source: String, _ headers: HTTPFields) async -> Bool {
    guard HTTPField.Name(Self.forwarded).flatMap({ headers[$0] }) == nil else { return true }
    let authorization = headers[.authorization] ?? ""
    return await withTaskGroup { group in
      for url in urls { group.addTask { await purge(source, authorization, at: url) } }
      return await group.reduce(true) { $0 && $1 }
    }
  }

  private func purge(_ source: String, _ authorization: String, at node: URL) async -> Bool {
    // Base64, which needs no percent-encoding.
    let url = node.appending(path: "cache/\(Base64URL.encode(source.sourceBytes ?? []))")
    do {
      let response = try await transport.response(
        to: TransportRequest(
          url: url, method: .delete, headers: ["Authorization": authorization, Self.forwarded: "1"], limits: limits))
      if response.status == 200 { return true }
      logger.warning("Not purged", metadata: ["node": "\(node)", "status": "\(response.status)"])
    } catch {
      logger.warning("Not purged", metadata: ["node": "\(node)", "error": "\(error)"])
    }
    return false
  }
}
