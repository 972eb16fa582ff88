import Foundation
import Halcyon
public import HalcyonTestSupport
import HalcyonTestTraits
public import Testing

/// Unusual but acceptable responses.
@Suite(.integrationTest)
struct UnusualResponseTests {
  private static let length = "Content-Length: \(Photos.rocket.count)"

  @Test(arguments: [
    Reply.raw(head: ["HTTP/1.0 200 OK"], body: Photos.rocket),
    .raw(head: ["HTTP/1.1 200", length], body: Photos.rocket),
    .raw(head: ["HTTP/1.1 200 OK", length], lineEnd: "\n", body: Photos.rocket),
    .raw(
      head: ["HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: </b>", "", "HTTP/1.1 200 OK", length],
      body: Photos.rocket),
  ])
  func `an unusual response is accepted`(reply: Reply) async throws {
    try await withPipeline { server, pipeline in
      let url = server.serve("/a.jpg", reply)
      let image = try await pipeline.image(for: url)
      #expect(image.size == PixelSize(width: 640, height: 427))
    }
  }

  @Test func `bytes after the end of a response are not parsed as the next response`() async throws {
    try await withPipeline { server, pipeline in
      let forged = Data("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged".utf8)
      let headers: HeaderFields = ["Content-Length": "\(Photos.rocket.count)"]
      let first = server.serve("/a.jpg", .body(Photos.rocket + forged, headers: headers))
      let second = server.serve("/b.jpg", .body(Photos.rocket))
      let images = try await [pipeline.image(for: first), pipeline.image(for: second)]
      #expect(images.map(\.size.width) == [640, 640])
      #expect(Set(server.requests.map(\.connectionID)).count == 2, "the connection is not reused")
    }
  }
}

extension Reply: CustomTestStringConvertible {
  public var testDescription: String { String(decoding: body.prefix(60), as: Unicode.ASCII.self) }
}
