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
}
