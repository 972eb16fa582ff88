import HalcyonTransport
import Foundation
import Halcyon
import TestSupport
import Testing

struct AddressPolicyPipelineTests {
  @Test func `every hop is checked, and a refused one is not sent to`() async throws {
    try await ImageServer.run { server in
      let inner = try #require(URL(string: "http://127.0.0.2:\(server.port)/inner"))
      let url = server.serve("/outer", .redirect(to: inner.absoluteString))
      let policy = AddressPolicy(scope: .publicInternet, allowed: [try #require(AddressRange("127.0.0.1"))])
      let pipeline = ImagePipeline(transport: try ImagePipeline.transport(enforcing: policy), cache: ImageCache())
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      guard case .transport(.addressRefused("127.0.0.2", "127.0.0.2", _), inner) = error else {
        Issue.record("\(error.map { "\($0)" } ?? "an answer")")
        return
      }
      #expect(server.requests.map(\.path) == ["/outer"])
    }
  }

  @Test func `the transport for a policy is there where the platform can keep it`() throws {
    #if canImport(Darwin)
    #expect(throws: TransportError.addressPolicyUnsupported) {
      try ImagePipeline.transport(enforcing: .publicInternetOnly)
    }
    #else
    #expect(try ImagePipeline.transport(enforcing: .publicInternetOnly) is CurlTransport)
    #endif
  }

  @Test func `the example of the documentation keeps a server out of its own network`() async throws {
    var policy = AddressPolicy.publicInternetOnly
    policy.ports = [80, 443]
    let configuration = PipelineConfiguration.standard(
      transport: try ImagePipeline.transport(enforcing: policy), cache: ImageCache())
    let pipeline = ImagePipeline(configuration: configuration)
    let url = try #require(URL(string: "http://169.254.169.254/latest/meta-data/"))
    let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
    guard case .transport(.addressRefused(let address, let host, let reason), _) = error else {
      Issue.record("the metadata service was asked")
      return
    }
    #expect(address == "169.254.169.254" && host == address)
    #expect(reason.contains("link-local"))
  }
}
