import AsyncHTTPClient
import Foundation
import HTTPTypes
import Halcyon
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// The server behind the proxy.
struct Origin: Sendable {
  let address: OriginAddress
  private let transport = CurlTransport(configuration: CurlTransport.Configuration(decodesContent: false))
  private let client: HTTPClient

  init(address: OriginAddress) {
    self.address = address
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(10), read: .seconds(60))
    // Whoever asks the proxy decides whether to try again.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(configuration: configuration)
  }

  /// GETs with Halcyon's own transport.
  func get(_ url: URL, headers: Halcyon.HTTPHeaders) async throws -> TransportResponse {
    try await transport.response(to: TransportRequest(url: url, headers: headers))
  }

  /// Sends a request of any method on, with its body, as it came.
  func forward(_ request: Request, to url: URL) async throws -> HTTPClientResponse {
    var forwarded = HTTPClientRequest(url: url.absoluteString)
    forwarded.method = .init(rawValue: request.method.rawValue)
    for field in ProxyFields(request.headers).forwarded.fields {
      forwarded.headers.add(name: field.name, value: field.value)
    }
    if let length = request.headers[.contentLength].flatMap(Int64.init) {
      forwarded.body = .stream(request.body, length: .known(length))
    } else if request.headers[.transferEncoding] != nil {
      forwarded.body = .stream(request.body, length: .unknown)
    }
    return try await client.execute(forwarded, timeout: .hours(1))
  }

  /// Ends its connections.
  func close() async {
    // There is nobody left to tell.
    try? await client.shutdown()
  }
}
