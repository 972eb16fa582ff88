import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Requests other than a plain GET, with redirects, against a real server.
@Suite(.integrationTest)
struct RequestContentServerTests {
  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
    (301, "PUT", "PUT"), (303, "PUT", "GET"),
  ])
  func `a redirect keeps or changes the method as its status says`(
    status: Int, method: String, expected: String
  ) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .redirect(to: "/b", status: status))
      server.serve("/b", .body(try TestImage.png()))
      var request = ImageRequest(url: url, headers: ["Content-Type": "text/plain"])
      request.method = try #require(HTTPMethod(method))
      request.body = Data("body".utf8)
      let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
      #expect(try await pipeline.image(for: request).size.width == 40)
      let requests = server.requests
      #expect(requests.map(\.method) == [method, expected])
      let isKept = expected == method
      #expect(requests[1].body == (isKept ? Data("body".utf8) : Data()))
      #expect(requests[1].headers["Content-Type"] == (isKept ? "text/plain" : nil))
      #expect(requests[1].headers["Content-Length"] == (isKept ? "4" : nil))
    }
  }
}
