import HalcyonTransport
import Foundation
import Halcyon
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AddressPolicyPipelineTests {
  @Test func `the address policy checks every redirect, and a refused host is not contacted`() async throws {
    try await ImageServer.run { server in
      let inner = try #require(URL(string: "http://127.0.0.2:\(server.port)/inner"))
      let url = server.serve("/outer", .redirect(to: inner.absoluteString))
      let policy = AddressPolicy(scope: .publicInternet, allowed: [try #require(AddressRange("127.0.0.1"))])
      let pipeline = ImagePipeline(transport: try ImagePipeline.transport(enforcing: policy), cache: ImageCache())
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      guard case .transport(.addressRejected("127.0.0.2", "127.0.0.2", _), inner) = error else {
        Issue.record("\(error.map { "\($0)" } ?? "a response")")
        return
      }
      #expect(server.requests.map(\.path) == ["/outer"])
    }
  }

  @Test func `a transport for a policy is available where the platform can enforce it`() throws {
    #if canImport(Darwin)
    #expect(throws: TransportError.addressPolicyUnsupported) {
      try ImagePipeline.transport(enforcing: .publicInternetOnly)
    }
    #else
    #expect(try ImagePipeline.transport(enforcing: .publicInternetOnly) is CurlTransport)
    #endif
  }

  @Test func `the documented SSRF policy blocks the cloud metadata service`() async throws {
    var policy = AddressPolicy.publicInternetOnly
    policy.ports = [80, 443]
    let configuration = PipelineConfiguration.standard(
      transport: try ImagePipeline.transport(enforcing: policy), cache: ImageCache())
    let pipeline = ImagePipeline(configuration: configuration)
    let url = try #require(URL(string: "http://169.254.169.254/latest/meta-data/"))
    let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
    guard case .transport(.addressRejected(let address, let host, let reason), _) = error else {
      Issue.record("the metadata service was not blocked")
      return
    }
    #expect(address == "169.254.169.254" && host == address)
    #expect(reason.contains("link-local"))
  }
}
