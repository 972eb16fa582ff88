import Foundation
import Halcyon
import TestSupport
import Testing

/// Everything that goes wrong on the way ends in time, as an error of its own, with nothing kept.
struct FaultMatrixTests {
  @Test(arguments: Fault.all) func `a fault is an error of its own, and nothing is kept`(fault: Fault) async throws {
    try await withOrigin { server, folder in
      let pipeline = Fault.pipeline(limits: fault.limits, cache: .standard(directory: folder))
      let url = try fault.prepare(server)
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      #expect(error?.label == fault.error, "\(error?.description ?? "no error")")
      await pipeline.cache.flush()
      #expect(pipeline.activeLoadCount == 0)
      #expect(pipeline.cache.memory.image(for: ImagePipeline.cacheKey(for: ImageRequest(url: url))) == nil)
      #expect(try await pipeline.cache.disk?.count == 0)
      try await server.waitUntilNoConnections()

      let good = server.serve("/good.jpg", .body(Photos.rocket))
      let patient = Fault.pipeline(limits: TransportLimits(), cache: ImageCache())
      let image = try await patient.image(for: good)
      #expect(image.size.width == 640, "what comes after it on the same transport is loaded")
    }
  }

  @Test func `a connection reset as soon as it is made was lost, or never there`() async throws {
    try await withOrigin { server, folder in
      let pipeline = Fault.pipeline(limits: TransportLimits(), cache: .standard(directory: folder))
      let url = server.serve("/a.jpg", .body(Photos.rocket))
      server.resetConnections(1)
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      // Which of them depends on whether the reset or the connection is seen first.
      #expect(["transport.connectionLost", "transport.connectionFailed"].contains(error?.label))
      let image = try await pipeline.image(for: url)
      #expect(image.size.width == 640)
    }
  }

  @Test func `the whole matrix leaves no descriptor and no load behind`() async {
    await #expect(processExitsWith: .success) {
      let pipeline = Fault.pipeline(limits: TransportLimits(), cache: ImageCache())
      // Libraries open some descriptors at first use and keep them.
      try await Fault.meetAll(with: pipeline.configuration.transport)
      let countBefore = try DescriptorCount.open()
      for _ in 0..<3 { try await Fault.meetAll(with: pipeline.configuration.transport) }
      let countAfter = try DescriptorCount.open()
      // A task that has told its error may be about to end, and to close what it had.
      #expect(countAfter <= countBefore + 1, "\(countBefore) became \(countAfter)")
    }
  }
}

extension Fault {
  /// A pipeline that takes at most 8 MB.
  static func pipeline(
    limits: TransportLimits, cache: ImageCache, transport: any Transport = ImagePipeline.standardTransport
  ) -> ImagePipeline {
    var configuration = PipelineConfiguration.standard(transport: transport, cache: cache)
    configuration.limits.encodedByteCount = 8 << 20
    configuration.transportLimits = limits
    configuration.retryStrategy = NoRetry()
    return ImagePipeline(configuration: configuration)
  }

  /// Meets each fault once, with a server of its own; then all connections of the transport are closed.
  static func meetAll(with transport: any Transport) async throws {
    for fault in all {
      let pipeline = pipeline(limits: fault.limits, cache: ImageCache(), transport: transport)
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
      #expect(pipeline.activeLoadCount == 0)
    }
    // The transport does what it is told in turn: when this has ended, what was dropped before is closed.
    try await ImageServer.run { server in
      let url = server.serve("/good.jpg", .body(Photos.rocket).closing)
      _ = try await pipeline(limits: TransportLimits(), cache: ImageCache(), transport: transport).image(for: url)
    }
  }
}
