#if !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

/// How long the thread of libcurl lives.
@Suite(.integrationTest)
struct CurlThreadTests {
  /// A reference that does not keep the loop alive: the thread does, as long as it runs.
  private struct WeakLoop: Sendable {
    weak let loop: CurlLoop?
  }

  private func waitUntilThreadEnds(_ weak: WeakLoop) async {
    while weak.loop != nil, !Task.isCancelled { await Task.yield() }
  }

  @Test func `the thread ends with the last reference to its transport`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a") { _ in .body(Data("a".utf8)) }
      let loop = try await Self.load(url)
      await waitUntilThreadEnds(loop)
    }
  }

  @Test func `the thread lives as long as a body that is still read`() async throws {
    try await ImageServer.run { server in
      let body = Data(repeating: 1, count: 200_000)
      let url = server.serve("/a") { _ in .body(body) }
      let loop = try await Self.loadAfterRelease(url, expecting: body)
      await waitUntilThreadEnds(loop)
    }
  }

  private static func load(_ url: URL) async throws -> WeakLoop {
    let transport = CurlTransport()
    let response = try await transport.response(to: TransportRequest(url: url))
    #expect(response.status == 200)
    return WeakLoop(loop: transport.thread.loop)
  }

  private static func loadAfterRelease(_ url: URL, expecting body: Data) async throws -> WeakLoop {
    var transport: CurlTransport? = CurlTransport()
    let response = try #require(try await transport?.response(to: TransportRequest(url: url)))
    let loop = WeakLoop(loop: transport?.thread.loop)
    transport = nil
    var received = Data()
    for try await piece in response.body { received += piece }
    #expect(received == body)
    #expect(loop.loop != nil)
    return loop
  }
}
#endif
