import HalcyonSupport
import HalcyonHTTP
import HalcyonPipeline
import Foundation
import HalcyonTesting
import Testing

/// When the place of a transfer is free for the next: here there is one place.
struct ConnectionPermitTests {
  private let first = URL(string: "http://example.com/1") ?? URL(filePath: "/")
  private let second = URL(string: "http://example.com/2") ?? URL(filePath: "/")

  private func pipeline(_ transport: any Transport) -> ImagePipeline {
    PipelineFixture {
      $0.transport = transport
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1)
    } script: { _ in
      .failure(.cancelled)
    }.pipeline
  }

  @Test(.timeLimit(.minutes(1))) func `a place is free once all bytes are there, read or not`() async throws {
    let bodies = HeldBodies()
    let pipeline = pipeline(QuickTransport(bodies: bodies))
    async let one = pipeline.data(for: ImageRequest(url: first))
    async let other = pipeline.data(for: ImageRequest(url: second))
    await bodies.asked.wait(for: 2)
    #expect(bodies.log.withLock { $0 } == ["asked", "asked"])
    bodies.release.set()
    #expect(try await one == other)
  }

  @Test func `a place is taken while bytes are under way`() async throws {
    let bodies = HeldBodies()
    let pipeline = pipeline(SlowTransport(bodies: bodies))
    async let one = pipeline.data(for: ImageRequest(url: first))
    async let other = pipeline.data(for: ImageRequest(url: second))
    await bodies.asked.wait(for: 1)
    bodies.release.set()
    #expect(try await one == other)
    #expect(bodies.log.withLock { $0 } == ["asked", "read", "asked", "read"])
  }
}

/// Bodies that are given to their readers after a signal.
private final class HeldBodies: Sendable {
  let asked = Counter()
  let release = Signal()
  let log = Lock<[String]>([])

  func response() -> TransportResponse {
    log.withLock { $0.append("asked") }
    asked.increment()
    let rest = Rest()
    return TransportResponse(
      status: 200, headers: HTTPHeaders(),
      body: TransportBody { [self] in
        await release.wait()
        let piece = rest.data.withLock { $0.take() }
        if piece != nil { log.withLock { $0.append("read") } }
        return piece
      })
  }

  private final class Rest: Sendable {
    let data = Lock<Data?>(SolidImage(width: 10, height: 10).data)
  }
}

/// Says nothing of where the bytes are.
private struct SlowTransport: Transport {
  let bodies: HeldBodies

  func response(to request: TransportRequest) async throws -> TransportResponse { bodies.response() }
}

/// Has all bytes at once, and tells so.
private struct QuickTransport: PreparingTransport {
  private struct Prepared: PreparedTransfer {
    let bodies: HeldBodies
    let onEnd: @Sendable () -> Void
    let begun = Signal()

    func begin() { begun.set() }

    func cancel() {}

    func response() async throws -> TransportResponse {
      await begun.wait()
      defer { onEnd() }
      return bodies.response()
    }
  }

  let bodies: HeldBodies

  func prepare(
    _ request: TransportRequest, onEnd: @escaping @Sendable () -> Void
  ) -> any PreparedTransfer { Prepared(bodies: bodies, onEnd: onEnd) }

  func response(to request: TransportRequest) async throws -> TransportResponse { bodies.response() }
}
