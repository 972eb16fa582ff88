import Foundation
import HalcyonCore
import HalcyonTesting
import Testing

/// When the place of a transfer is free for the next: here there is one place.
struct ConnectionPlaceTests {
  private let first = URL(string: "http://example.com/1") ?? URL(filePath: "/")
  private let second = URL(string: "http://example.com/2") ?? URL(filePath: "/")

  private func pipeline(_ transport: HeldBodies) -> ImagePipeline {
    PipelineFixture {
      $0.transport = transport
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1)
    } script: { _ in
      .failure(.cancelled)
    }.pipeline
  }

  @Test(.timeLimit(.minutes(1))) func `a place is free once all bytes are there, read or not`() async throws {
    let transport = HeldBodies(haveArrived: true)
    let pipeline = pipeline(transport)
    async let one = pipeline.data(for: ImageRequest(url: first))
    async let other = pipeline.data(for: ImageRequest(url: second))
    await transport.asked.wait(for: 2)
    #expect(transport.log.withLock { $0 } == ["asked", "asked"])
    transport.release.set()
    #expect(try await one == other)
  }

  @Test func `a place is taken while bytes are under way`() async throws {
    let transport = HeldBodies(haveArrived: false)
    let pipeline = pipeline(transport)
    async let one = pipeline.data(for: ImageRequest(url: first))
    async let other = pipeline.data(for: ImageRequest(url: second))
    await transport.asked.wait(for: 1)
    transport.release.set()
    #expect(try await one == other)
    #expect(transport.log.withLock { $0 } == ["asked", "read", "asked", "read"])
  }
}

/// Answers at once; the bodies are given to their readers after a signal.
private final class HeldBodies: Transport {
  let haveArrived: Bool
  let asked = Counter()
  let release = Signal()
  let log = Lock<[String]>([])

  init(haveArrived: Bool) {
    self.haveArrived = haveArrived
  }

  func response(to request: TransportRequest) async throws -> TransportResponse {
    log.withLock { $0.append("asked") }
    asked.increment()
    return TransportResponse(status: 200, headers: HTTPHeaders(), body: TransportBody(Held(self)))
  }

  private final class Held: BodySource {
    private let bodies: HeldBodies
    private let rest = Lock<Data?>(SolidImage(width: 10, height: 10).data)

    init(_ bodies: HeldBodies) {
      self.bodies = bodies
    }

    var timings: TransportTimings? { nil }

    var hasArrived: Bool { bodies.haveArrived }

    func next() async throws -> Data? {
      await bodies.release.wait()
      let piece = rest.withLock { $0.take() }
      if piece != nil { bodies.log.withLock { $0.append("read") } }
      return piece
    }
  }
}
