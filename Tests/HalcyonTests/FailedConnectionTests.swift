#if !URLSESSION
import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTransport
import Testing

/// Images whose connections fail, through the whole pipeline.
@Suite(.integrationTest)
struct FailedConnectionTests {
  private func pipeline(idleTimeout: Duration = .seconds(15), retry: any RetryStrategy) -> ImagePipeline {
    ImagePipeline {
      $0.transport = CurlTransport()
      $0.cache = ImageCache(disk: nil)
      $0.transportLimits.idleTimeout = idleTimeout
      $0.options.retryStrategy = retry
    }
  }

  /// Opens connections by as many loads at once, which are idle afterwards.
  private func open(_ count: Int, to server: ImageServer, by pipeline: ImagePipeline) async throws {
    let gate = Gate()
    let photo = Reply.body(try TestImage.png()).held(by: gate)
    try await withThrowingTaskGroup { group in
      for number in 1...count {
        let url = server.serve("/held\(number)", photo)
        group.addTask { _ = try await pipeline.image(for: url) }
      }
      try await server.waitForRequests(count: count)
      gate.open()
      try await group.waitForAll()
    }
  }

  @Test func `the first image after six silent connections takes one retry`() async throws {
    try await ImageServer.run { server in
      let pipeline = pipeline(idleTimeout: .seconds(1), retry: ExponentialBackoff(attemptLimit: 2, firstDelay: .zero))
      try await open(6, to: server, by: pipeline)
      let photo = Reply.body(try TestImage.png())
      let url = server.serve("/next") { $0.connectionID <= 6 ? photo.stalled(at: .head(0)) : photo }
      _ = try await pipeline.image(for: url)
      #expect(server.requests(for: "/next").map { $0.connectionID <= 6 } == [true, false])
    }
  }

  @Test func `images of a reused connection that serves another host are loaded over a new one`() async throws {
    try await ImageServer.run { server in
      let pipeline = pipeline(retry: .never)
      try await open(1, to: server, by: pipeline)
      let photo = Reply.body(try TestImage.png())
      for number in 1...2 {
        let url = server.serve("/\(number)") { $0.connectionID == 1 ? .status(421, body: Data("no".utf8)) : photo }
        _ = try await pipeline.image(for: url)
      }
      // The connection is not used again.
      #expect(server.requests.map(\.connectionID) == [1, 1, 2, 2])
    }
  }
}
#endif
