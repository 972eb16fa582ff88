import Foundation
import HalcyonHTTP
import HalcyonTestSupport
import HalcyonTestTraits
import InMemoryTracing
import Testing
import Tracing

@testable import HalcyonService

/// Spans of requests.
@Suite(.integrationTest)
struct RequestSpansTests {
  @Test func `a request has a span, with spans of its steps that have its identifier and lie within it`() async throws {
    let tracer = InMemoryTracer()
    try await RunningService.run(tracer: tracer) { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      _ = try await service.image("w:40/bl:1", of: source, ["X-Request-ID": "my-request"])
      let spans = tracer.popFinishedSpans()
      // Not in the macro: the compiler would take this closure for the next one, too.
      let first = spans.first { $0.operationName == "GET" }
      let request = try #require(first)
      #expect(request.parentSpanID == nil)
      #expect(request.attributes.get("http.response.status_code") == .int64(200))
      let steps = spans.filter { $0.operationName != "GET" }
      #expect(Set(steps.map(\.operationName)) == ["read cache", "queue", "fetch", "decode", "process", "encode"])
      for step in steps {
        #expect(step.parentSpanID == request.spanID && step.traceID == request.traceID)
        #expect(step.attributes.get("request.id") == .string("my-request"))
        // The clocks of both differ by less than this.
        let slack: UInt64 = 5_000_000
        #expect(step.startInstant.nanosecondsSinceEpoch <= step.endInstant.nanosecondsSinceEpoch)
        #expect(step.startInstant.nanosecondsSinceEpoch + slack >= request.startInstant.nanosecondsSinceEpoch)
        #expect(step.endInstant.nanosecondsSinceEpoch <= request.endInstant.nanosecondsSinceEpoch + slack)
      }
      // The source knows the span.
      let sent = try #require(origin.requests.first)
      #expect(sent.headers[InMemoryTracer.spanIDKey] == request.spanID)

      // A hit has a span of its own, whichever cache has it.
      for _ in 0..<2 { _ = try await service.image("w:40/bl:1", of: source) }
      let hits = tracer.popFinishedSpans()
      let hitNames = hits.map(\.operationName)
      #expect(hitNames.count { $0 == "GET" } == 2)
      #expect(Set(hitNames).isDisjoint(with: ["fetch", "decode", "encode"]))
    }
  }

  @Test func `spans are below the span of the client, and say what failed`() async throws {
    let tracer = InMemoryTracer()
    try await RunningService.run(tracer: tracer) { service, origin in
      let fields: HTTPHeaders = [InMemoryTracer.traceIDKey: "trace-x", InMemoryTracer.spanIDKey: "span-x"]
      let sources = [
        ("fetch", origin.serve("/a.png", .status(500))),
        ("decode", origin.serve("/b.png", .body(try Quadrants.png().prefix(60)))),
      ]
      for (step, source) in sources {
        let status = try await service.image("w:40", of: source, fields).status
        #expect(status >= 400)
        let spans = tracer.popFinishedSpans()
        let first = spans.first { $0.operationName == "GET" }
        let request = try #require(first)
        #expect(request.traceID == "trace-x" && request.parentSpanID == "span-x")
        #expect((request.status?.code == .error) == (status >= 500))
        let failure = spans.first { $0.operationName != "GET" && $0.status?.code == .error }
        let failed = try #require(failure)
        #expect(failed.operationName == step && failed.parentSpanID == request.spanID)
      }
    }
  }

  @Test func `a request that the service failed has an error, and one that its client made wrong has none`() throws {
    let tracer = InMemoryTracer()
    let spans = RequestSpans(tracer)
    for (error, isFault) in [(ServiceError.failed, true), (.notFound, false)] {
      spans.end(spans.start(ServiceRequest(path: "/"), id: "a", path: "/"), status: error.status, error)
      let ended = try #require(tracer.popFinishedSpans().first)
      #expect((ended.status?.code == .error) == isFault)
    }
  }

  @Test func `requests that share a load have spans each`() async throws {
    let tracer = InMemoryTracer()
    try await RunningService.run(tracer: tracer) { service, origin in
      let gate = Gate()
      let source = origin.serve("/a.png", .body(try Quadrants.png()).held(by: gate))
      try await withThrowingTaskGroup { group in
        for id in ["one", "two"] {
          group.addTask { _ = try await service.image("w:40", of: source, ["X-Request-ID": id]) }
        }
        try await origin.waitForRequests()
        while try await !service.get("/metrics").text.contains("halcyon_requests_active 2.0") {}
        gate.open()
        try await group.waitForAll()
      }
      #expect(origin.requests.count == 1)
      let ids = tracer.finishedSpans.filter { $0.operationName == "fetch" }.map { $0.attributes.get("request.id") }
      #expect(ids.count == 2 && ids.contains(.string("one")) && ids.contains(.string("two")), "\(ids)")
    }
  }
}
