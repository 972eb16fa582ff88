import Foundation
import Halcyon
import HalcyonHTTP

/// The client behind proxies, which each add the address of their own client to `X-Forwarded-For`.
enum ForwardedClient {
  /// The last address that is not that of a trusted proxy: clients can send the field themselves, so what stands before
  /// the address that a trusted proxy has added is not believed.
  ///
  /// - Parameter connection: The address of the connection; `nil` for a Unix domain socket, which only a proxy has.
  static func address(connection: String?, forwardedFor: String?, proxies: [AddressRange]) -> String? {
    var client = connection
    for text in (forwardedFor ?? "").parts(between: ",").reversed() {
      if let client {
        guard let address = IPAddress(client), proxies.contains(where: { $0.contains(address) }) else { break }
      }
      let text = text.trimmingCharacters(in: .whitespaces)
      guard IPAddress(text) != nil else { break }
      client = text
    }
    return client
  }
}
