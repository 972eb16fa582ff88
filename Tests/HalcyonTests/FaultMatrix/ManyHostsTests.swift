import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow)
struct ManyHostsTests {
  @Test func `a stalled host does not delay 999 other hosts loading at the same time`() async throws {
    try await withPipeline { server, pipeline in
      server.serve("/a.png", .body(try Photos.data("clock_motion.png")).closing)
      let silent = server.serve("/silent.png", .body(Photos.rocket).stalled(at: .body(100)))
      let stalled = pipeline.task(for: ImageRequest(url: silent))
      try await server.waitForRequests(count: 1)
      let delivered = try await withThrowingTaskGroup { group in
        for number in 1..<1000 {
          // Every name under localhost resolves to the loopback address, and is a separate origin.
          let url = server.url("/a.png", host: "host-\(number).localhost")
          group.addTask { try await pipeline.data(for: ImageRequest(url: url)) }
        }
        return try await group.reduce(0) { count, _ in count + 1 }
      }
      #expect(delivered == 999)
      stalled.cancel()
      await #expect(throws: ImageError.self) { try await stalled.image }
      try await server.waitUntilNoConnections()
      // The server may see the connection close before the pipeline has removed the load.
      while pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
    }
  }
}
