import AsyncHTTPClient
import Foundation
import HTTPTypes
import Halcyon
import HalcyonHTTP
import HalcyonTransport
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// The origin server behind the proxy.
struct Origin: Sendable {
  let server: OriginURL
  private let transport = CurlTransport(configuration: CurlTransport.Configuration(decodesContent: false))
  private let client: HTTPClient

  init(server: OriginURL) {
    self.server = server
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(10), read: .seconds(60))
    // Retries are left to the client.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(configuration: configuration)
  }

  /// Sends a GET request over Halcyon's own transport.
  func get(_ url: URL, headers: Halcyon.HTTPHeaders) async throws -> TransportResponse {
    try await transport.response(to: TransportRequest(url: url, headers: headers))
  }

  /// Forwards a request of any method, streaming its body.
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

  /// Closes the connections.
  func close() async {
    // The process is about to exit, so an error has no consequence.
    try? await client.shutdown()
  }
}
