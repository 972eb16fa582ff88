import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Paths that a proxy has rewritten.
@Suite(.integrationTest)
struct RestoredPathTests {
  @Test(arguments: [
    ("/w:1/plain/http:/e.com/a", "/w:1/plain/http://e.com/a"),
    ("/w:1/plain/http%3A/e.com/a", "/w:1/plain/http%3A//e.com/a"),
    ("/w:1/plain/local:/a.png", "/w:1/plain/local:///a.png"), ("/w%3A1/plain/s3:/b/k", "/w:1/plain/s3://b/k"),
    ("/rs%3Afill%3a10/w:1/plain/http://e.com", "/rs:fill:10/w:1/plain/http://e.com"),
    // An argument with a colon keeps it.
    ("/fn:a%3Ab/plain/http://e.com", "/fn:a%3Ab/plain/http://e.com"),
    ("/w:1/plain/http://e.com/b:/c", "/w:1/plain/http://e.com/b:/c"), ("/w:1/aHR0cA", "/w:1/aHR0cA"),
    ("/w%3A1/aHR0cA.png", "/w:1/aHR0cA.png"), ("/plain/http:/e.com", "/plain/http://e.com"),
  ])
  func `merged slashes and encoded colons are restored`(received: String, sent: String) {
    #expect(RestoredPath.likely(received) == sent)
    #expect(RestoredPath.candidates(received).first == received)
  }

  @Test func `a signature is that of the path as its client wrote it`() async throws {
    let pair = URLSigner.KeyPair(key: Data("secret".utf8), salt: Data("hello".utf8))
    try await RunningService.run {
      $0.isInsecure = false
      $0.keyPairs = [pair]
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png())).absoluteString
      for sent in ["/rs:fill:40:30/fn:a%3Ab/plain/\(source)@png", "/plain/\(source.replacing(":", with: "%3A"))"] {
        let signature = try #require(URLSigner(pairs: [pair]).signature(of: sent))
        for change: (String) -> String in [
          { $0 }, { $0.replacing("//", with: "/") }, { $0.replacing("rs:fill:40:30", with: "rs%3Afill%3A40%3A30") },
        ] {
          #expect(try await service.get("/\(signature)\(change(sent))").status == 200, "\(change(sent))")
        }
        #expect(try await service.get("/\(signature)\(sent.replacing("a.png", with: "b.png"))").status == 403)
      }
    }
  }
}
