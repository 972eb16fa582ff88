import HalcyonCache
import HalcyonImaging
import HalcyonSupport
import Foundation
import HalcyonHTTP
import HalcyonTesting
import TestSupport
import TestDoubles
import TestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest)
struct DataTaskTests {
  private let body = SolidImage(width: 4, height: 4, paddingByteCount: 1000).data

  @Test func `a data task reports its progress and the header, then its bytes`() async throws {
    let (body, release) = (body, Signal())
    let fixture = PipelineFixture(configure: { $0.progressInterval = .zero }) { _ in
      await release.wait()
      return .response(body: body, headers: ["Content-Length": "\(body.count)"], pieceByteCount: 100)
    }
    let task = fixture.pipeline.dataTask(for: ImageRequest(url: fixture.url, priority: .high))
    #expect(task.priority == .high)
    #expect(task.result == nil)
    #expect(task.progress == nil)
    let events = task.events
    release.set()
    var fractions: [Double] = []
    var names: Set<String> = []
    for await event in events {
      names.insert(Mirror(reflecting: event).children.first?.label ?? "")
      if case .progress(let progress) = event { fractions.append(progress.fraction) }
    }
    #expect(fractions.count == 11)
    #expect(fractions == fractions.sorted())
    #expect(names == ["progress", "info", "finished"])
    #expect(try await task.data == body)
    #expect(try task.result?.get() == body)
    #expect(task.progress?.fraction == 1)
  }

  @Test func `raising the priority of a data task lets its transfer go first`() async throws {
    let held = HeldPipeline { $0.connectionLimits = ConnectionLimits(total: 1) }
    let tasks = [URL].numbered(4).map { held.pipeline.dataTask(for: ImageRequest(url: $0)) }
    try await held.began.waitForEvents(count: 1)
    let first = try #require(Int(held.began.events[0]))
    let rest = (0..<4).filter { $0 != first }
    let raised = rest[2]
    tasks[raised].priority = .veryHigh
    while held.pipeline.loader.bytes.http.limiter.waitingCount < 3 { try await Task.yieldUnlessCancelled() }
    held.gate.release()
    try await held.began.waitForEvents(count: 2)
    #expect(held.began.events[1] == "\(raised)")
    held.gate.open()
    for task in tasks { _ = try await task.data }
  }

  @Test func `cancelling a data task ends it at once and cancels its transfer`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.dataTask(for: ImageRequest(url: held.fixture.url))
    try await held.gate.waitUntilHolding()
    task.cancel()
    task.cancel()
    #expect(task.result?.errorName == "cancelled")
    try await held.cancelled.waitForEvents(count: 1)
    let error = await #expect(throws: ImageError.self) { try await task.data }
    #expect(error?.name == "cancelled")
  }

  @Test func `data tasks share a transfer with each other and with images`() async throws {
    let held = HeldPipeline()
    let request = ImageRequest(url: held.fixture.url)
    let (one, two) = (held.pipeline.dataTask(for: request), held.pipeline.dataTask(for: request))
    let image = held.pipeline.task(for: held.fixture.url)
    try await held.gate.waitUntilHolding()
    held.gate.open()
    #expect(try await one.data == two.data)
    #expect(try await image.image.size.width == 8)
    #expect(held.fixture.transport.requests.count == 1)
  }
}

extension Result where Failure == ImageError {
  /// The name of the error; `nil` for a success.
  var errorName: String? {
    if case .failure(let error) = self { error.name } else { nil }
  }
}
