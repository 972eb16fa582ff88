import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Every network fault fails in bounded time with a specific error, and nothing is cached.
@Suite(.integrationTest, .slow)
struct FaultMatrixTests {
  @Test(arguments: Fault.all) func `a fault fails with its specific error, and nothing is cached`(fault: Fault)
    async throws
  {
    try await withOrigin { server, folder in
      let pipeline = Fault.pipeline(limits: fault.limits, cache: ImageCache(in: folder))
      let url = try fault.prepare(server)
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      #expect(error?.label == fault.error, "\(error?.description ?? "no error")")
      await pipeline.cache.flush()
      #expect(pipeline.activeJobCount == 0)
      #expect(pipeline.cache.memory.image(for: ImagePipeline.cacheKey(for: ImageRequest(url: url))) == nil)
      #expect(try await pipeline.cache.disk?.count == 0)
      try await server.waitUntilNoConnections()

      let good = server.serve("/good.jpg", .body(Photos.rocket))
      let patient = Fault.pipeline(limits: TransportLimits(), cache: ImageCache(disk: nil))
      let image = try await patient.image(for: good)
      #expect(image.size.width == 640, "the next load on the same transport succeeds")
    }
  }

  @Test func `a connection reset on acceptance is reported as lost or failed`() async throws {
    try await withOrigin { server, folder in
      let pipeline = Fault.pipeline(limits: TransportLimits(), cache: ImageCache(in: folder))
      let url = server.serve("/a.jpg", .body(Photos.rocket))
      server.resetConnections(1)
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      // Which error depends on whether the client sees the reset or the connection first.
      #expect(["transport.connectionLost", "transport.connectionFailed"].contains(error?.label))
      let image = try await pipeline.image(for: url)
      #expect(image.size.width == 640)
    }
  }

  @Test func `the whole fault matrix leaks neither descriptors nor loads`() async {
    await #expect(processExitsWith: .success) {
      let pipeline = Fault.pipeline(limits: TransportLimits(), cache: ImageCache(disk: nil))
      // Libraries open some descriptors at first use and keep them.
      try await Fault.runAll(with: pipeline.configuration.transport)
      let countBefore = try DescriptorCount.open()
      for _ in 0..<3 { try await Fault.runAll(with: pipeline.configuration.transport) }
      let countAfter = try DescriptorCount.open()
      // A task that has delivered its error may still be closing a descriptor.
      #expect(countAfter <= countBefore + 1, "\(countBefore) open descriptors became \(countAfter)")
    }
  }
}

extension Fault {
  /// A pipeline without retries that accepts responses of at most 8 MiB.
  static func pipeline(
    limits: TransportLimits, cache: ImageCache, transport: any Transport = PipelineConfiguration().transport
  ) -> ImagePipeline {
    var configuration = PipelineConfiguration()
    configuration.transport = transport
    configuration.cache = cache
    configuration.limits.encodedByteCount = 8 << 20
    configuration.transportLimits = limits
    configuration.options.retryStrategy = .never
    return ImagePipeline(configuration: configuration)
  }

  /// Runs each fault once, each with a separate server; afterwards no connection of these runs is open.
  static func runAll(with transport: any Transport) async throws {
    for fault in all {
      let pipeline = pipeline(limits: fault.limits, cache: ImageCache(disk: nil), transport: transport)
      let label = try await ImageServer.run { server in
        let url = try fault.prepare(server)
        do throws(ImageError) {
          _ = try await pipeline.image(for: url)
        } catch {
          return error.label
        }
        return "no error"
      }
      #expect(label == fault.error, "\(fault.name)")
      #expect(pipeline.activeJobCount == 0)
    }
    // The transport processes its commands in order: after this load, the connections dropped before are closed.
    try await ImageServer.run { server in
      let url = server.serve("/good.jpg", .body(Photos.rocket).closing)
      _ = try await pipeline(limits: TransportLimits(), cache: ImageCache(disk: nil), transport: transport).image(
        for: url)
    }
  }
}
