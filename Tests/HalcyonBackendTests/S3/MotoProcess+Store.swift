import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonTransport
import HalcyonTestSupport

@testable import HalcyonBackend

/// Buckets of moto's server, and stores in them.
extension MotoProcess {
  private static let transport = CurlTransport()

  /// The storage, by a name that has any subdomain for the addressing by host.
  func storage(_ addressing: S3Storage.Addressing = .path) throws -> S3Storage {
    let host = addressing == .path ? "127.0.0.1" : "localhost"
    guard let url = URL(string: "http://\(host):\(port)"),
      let storage = S3Storage(
        region: "us-east-1", endpoint: url, addressing: addressing,
        credentials: S3Credentials(accessKeyID: "key", secretAccessKey: "secret"))
    else { throw Failure() }
    return storage
  }

  /// Creates a bucket, and returns a store in it.
  func store(
    _ bucket: String, _ addressing: S3Storage.Addressing = .path,
    configuration: S3StoreConfiguration = S3StoreConfiguration()
  ) async throws -> S3Store {
    guard let url = URL(string: "http://127.0.0.1:\(port)/\(bucket)") else { throw Failure() }
    guard try await send(TransportRequest(url: url, method: .put)).status == 200 else { throw Failure() }
    var configuration = configuration
    // A busy machine is no failure of the store.
    configuration.timeout = .seconds(60)
    return S3Store(
      storage: try storage(addressing), bucket: bucket, transport: Self.transport, configuration: configuration)
  }

  /// Sends a signed request past a store.
  func send(_ request: TransportRequest) async throws -> (status: Int, body: Data) {
    let response = try await Self.transport.response(to: try storage().signed(request))
    var body = Data()
    for try await piece in response.body { body += piece }
    return (response.status, body)
  }

  /// The names of all objects of a bucket.
  func names(_ bucket: String) async throws -> [String] {
    guard let url = URL(string: "http://127.0.0.1:\(port)/\(bucket)?max-keys=1000") else { throw Failure() }
    let text = String(decoding: try await send(TransportRequest(url: url)).body, as: UTF8.self)
    return text.components(separatedBy: "<Key>").dropFirst().map { String($0.prefix { $0 != "<" }) }
  }
}
