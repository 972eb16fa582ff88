import HalcyonSupport
import HalcyonHTTP
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// When a transfer releases its permit, with a limit of one connection.
@Suite(.unitTest)
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

  @Test func `a permit is released once all bytes have been received, read or not`()
    async throws
  {
    let bodies = HeldBodies()
    let pipeline = pipeline(QuickTransport(bodies: bodies))
    async let one = pipeline.data(for: ImageRequest(url: first))
    async let other = pipeline.data(for: ImageRequest(url: second))
    await bodies.requested.wait(for: 2)
    #expect(bodies.log.withLock { $0 } == ["requested", "requested"])
    bodies.release.set()
    #expect(try await one == other)
  }

  @Test func `a response validator can load from its own host`() async throws {
    let loading = Lock<ImagePipeline?>(nil)
    let image = SolidImage(width: 10, height: 10).data
    let fixture = PipelineFixture {
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1, waiting: 1)
      $0.options.responseValidator = { [second] head in
        guard head.url != second, let pipeline = loading.withLock({ $0 }) else { return }
        let request = ImageRequest(url: second) { $0.cachePolicy = .reload }
        _ = try await pipeline.data(for: request)
      }
    } script: { _ in
      .response(body: image)
    }
    loading.withLock { $0 = fixture.pipeline }
    defer { loading.withLock { $0 = nil } }
    // A load that waits for itself would wait for ever.
    var request = ImageRequest(url: first)
    request.timeout = .seconds(60)
    #expect(try await fixture.pipeline.data(for: request) == image)
    #expect(fixture.transport.requests.map(\.url) == [first, second])
  }

  @Test func `a permit is held until all bytes have been received`() async throws {
    let bodies = HeldBodies()
    let pipeline = pipeline(SlowTransport(bodies: bodies))
    async let one = pipeline.data(for: ImageRequest(url: first))
    async let other = pipeline.data(for: ImageRequest(url: second))
    await bodies.requested.wait(for: 1)
    bodies.release.set()
    #expect(try await one == other)
    #expect(bodies.log.withLock { $0 } == ["requested", "read", "requested", "read"])
  }
}

/// Response bodies that their readers receive once `release` is set.
private final class HeldBodies: Sendable {
  let requested = Counter()
  let release = Signal()
  let log = Lock<[String]>([])

  func response() -> TransportResponse {
    log.withLock { $0.append("requested") }
    requested.increment()
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

/// Does not report when all bytes have been received.
private struct SlowTransport: Transport {
  let bodies: HeldBodies

  func response(to request: TransportRequest) async throws -> TransportResponse { bodies.response() }
}

/// Has all bytes at once, and reports the end of the transfer.
private struct QuickTransport: PreparingTransport {
  private struct Prepared: PreparedTransfer {
    let bodies: HeldBodies
    let onEnd: @Sendable (TransportHead?) -> Void
    let begun = Signal()

    func begin() { begun.set() }

    func cancel() {}

    func response() async throws -> TransportResponse {
      await begun.wait()
      defer { onEnd(TransportHead(status: 200, headers: HTTPHeaders())) }
      return bodies.response()
    }
  }

  let bodies: HeldBodies

  func prepare(
    _ request: TransportRequest, onEnd: @escaping @Sendable (TransportHead?) -> Void
  ) -> any PreparedTransfer { Prepared(bodies: bodies, onEnd: onEnd) }

  func response(to request: TransportRequest) async throws -> TransportResponse { bodies.response() }
}
