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
    Reply.body(Photos.rocket).closeDelimited(),
    .body(Photos.rocket).chunked(1, 2, 3, 4096),
    .gzip(Photos.rocket.gzipped),
    .gzip(Photos.rocket.gzipped).chunked(100),
    .raw(head: ["HTTP/1.0 200 OK"], body: Photos.rocket),
    .raw(head: ["HTTP/1.1 200", length], body: Photos.rocket),
    .raw(head: ["HTTP/1.1 200 OK", length], lineEnd: "\n", body: Photos.rocket),
    .raw(head: ["HTTP/1.1 200 OK", length, length], body: Photos.rocket),
    .raw(head: ["HTTP/1.1 200 OK", "X-Long: a", " folded", length], body: Photos.rocket),
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

  @Test(arguments: [
    "Content-Type: text/html", "Content-Length: 5", "Content-Encoding: gzip", "Content-Encoding: br",
    "Content-Range: bytes 0-4/5", "ETag: W/\"a\"",
  ])
  func `a 304 confirms the stored image, whatever it says about a body`(field: String) async throws {
    try await withPipeline { server, pipeline in
      let url = server.serve("/a.jpg") { request in
        request.headers["If-None-Match"] == nil
          ? .body(Photos.rocket, headers: ["ETag": "\"a\"", "Cache-Control": "no-cache", "Content-Type": "image/jpeg"])
          : .raw(head: ["HTTP/1.1 304 Not Modified", "X-New: 1", field], body: Data())
      }
      let request = ImageRequest(url: url)
      for count in 1...3 {
        #expect(try await pipeline.data(for: request) == Photos.rocket)
        await pipeline.cache.flush()
        #expect(server.requests.count == count)
      }
      let headers = try #require(try await pipeline.storedMetadata(for: request)).headers
      #expect(headers["Content-Type"] == "image/jpeg" && headers["Content-Length"] == "\(Photos.rocket.count)")
      #expect(headers["Content-Encoding"] == nil && headers["Content-Range"] == nil && headers["X-New"] == "1")
      #expect(headers["ETag"] == "\"a\"")
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
