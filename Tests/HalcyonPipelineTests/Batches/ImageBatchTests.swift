import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest)
struct ImageBatchTests {
  /// `count` requests; with the pipeline of `gated`, the width of each image is its position, counted from 1.
  private func requests(_ count: Int) -> [ImageRequest] { [URL].numbered(count).map { ImageRequest(url: $0) } }

  /// A pipeline whose images have a width of their number plus 1; each transfer waits for its own gate.
  private func gated(
    _ gates: [Gate], failing: Set<Int> = [], arrived: EventLog<Int> = EventLog(), cancelled: EventLog<Int> = EventLog()
  ) -> PipelineFixture {
    PipelineFixture(configure: { $0.options.retryStrategy = .never }) { request in
      let number = Int(request.url.lastPathComponent) ?? 0
      arrived.record(number)
      do {
        try await gates[number].wait()
      } catch {
        cancelled.record(number)
        throw error
      }
      if failing.contains(number) { return .response(status: 500 + number, body: Data()) }
      return .response(body: SolidImage(width: UInt16(number + 1), height: 1).data)
    }
  }

  @Test func `images are returned in request order, whatever the order of their arrival`() async throws {
    let gates = (0..<5).map { _ in Gate() }
    let fixture = gated(gates)
    let task = fixture.pipeline.batch(for: requests(5))
    var progress = task.progress.makeAsyncIterator()
    for (count, gate) in gates.reversed().enumerated() {
      gate.open()
      while let update = await progress.next(), update.completedCount <= count {}
    }
    #expect(try await task.images.map(\.size.width) == [1, 2, 3, 4, 5])
  }

  @Test func `loading all or nothing throws the first error and cancels the other loads`() async throws {
    let gates = (0..<5).map { _ in Gate() }
    let (arrived, cancelled) = (EventLog<Int>(), EventLog<Int>())
    let fixture = gated(gates, failing: [3], arrived: arrived, cancelled: cancelled)
    let loading = Task {
      try await fixture.pipeline.batch(for: requests(5), concurrencyLimit: 4, cancelsOnFailure: true).images
    }
    try await arrived.waitForEvents(count: 4)
    gates[3].open()
    let error = await #expect(throws: ImageError.self) { try await loading.value }
    guard case .httpStatus(503, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await cancelled.waitForEvents(count: 3)
    #expect(Set(cancelled.events) == [0, 1, 2])
    #expect(!fixture.transport.requests.contains { $0.url.lastPathComponent == "4" })
  }

  @Test func `with one result per request, failures leave the other loads running`() async throws {
    let gates = (0..<5).map { _ in Gate() }
    for gate in gates { gate.open() }
    let fixture = gated(gates, failing: [1, 2])
    let results = await fixture.pipeline.batch(for: requests(5)).results
    let outcomes = results.map { result in
      switch result {
      case .success(let response): "\(response.image.size.width)"
      case .failure(let error): error.name
      }
    }
    #expect(outcomes == ["1", "httpStatus", "httpStatus", "4", "5"])
    await #expect(throws: ImageError.self) { try await fixture.pipeline.batch(for: requests(5)).images }
  }

  @Test func `the error of all images is that of the image that failed first, wherever it is`() async throws {
    let (gates, arrived) = ((0..<4).map { _ in Gate() }, EventLog<Int>())
    let fixture = gated(gates, failing: [0, 2], arrived: arrived)
    let batch = fixture.pipeline.batch(for: requests(4), concurrencyLimit: 3)
    gates[2].open()
    // The last load begins once the batch knows of the failure.
    try await arrived.waitForEvents(count: 4)
    for gate in gates { gate.open() }
    let error = await #expect(throws: ImageError.self) { try await batch.images }
    #expect(error?.description.contains("HTTP 502") == true, "\(error?.description ?? "")")
  }

  @Test func `no more than the concurrency limit load at once, in request order`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.batch(for: requests(10), concurrencyLimit: 3)
    for count in 1...7 {
      try await held.began.waitForEvents(count: count + 2)
      #expect(Set(held.began.events).isSubset(of: Set((0..<count + 2).map { "\($0)" })))
      held.gate.release()
    }
    held.gate.open()
    #expect(try await task.images.count == 10)
  }

  @Test func `one call cancels the whole batch`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.batch(for: requests(10), concurrencyLimit: 4)
    try await held.gate.waitUntilHolding(4)
    task.cancel()
    task.cancel()
    let results = await task.results
    #expect(results.count == 10)
    for result in results {
      guard case .failure(.cancelled) = result else {
        Issue.record("\(result)")
        continue
      }
    }
    try await held.cancelled.waitForEvents(count: 4)
    #expect(held.began.events.count == 4)
    await #expect(throws: ImageError.self) { try await task.images }
  }

  @Test func `cancelling the calling task cancels the whole batch`() async throws {
    let held = HeldPipeline()
    let images = Task { try await held.pipeline.batch(for: requests(3)).images }
    try await held.gate.waitUntilHolding(3)
    images.cancel()
    let error = await #expect(throws: ImageError.self) { try await images.value }
    #expect(error?.name == "cancelled")
    try await held.cancelled.waitForEvents(count: 3)
  }

  @Test func `cancelling one of two calling tasks leaves the batch to the other`() async throws {
    let held = HeldPipeline()
    let batch = held.pipeline.batch(for: requests(3))
    let calls = (0..<2).map { _ in Task { try await batch.images } }
    while batch.waiterCount.withLock({ $0 }) < 2 { try await Task.yieldUnlessCancelled() }
    calls[0].cancel()
    held.gate.open()
    #expect(try await calls[1].value.count == 3)
    #expect(held.cancelled.events.isEmpty)
  }

  @Test func `one progress covers the whole batch`() async throws {
    let gates = (0..<2).map { _ in Gate() }
    let body = SolidImage(width: 4, height: 4, paddingByteCount: 986).data
    let fixture = PipelineFixture(configure: { $0.progressInterval = .zero }) { request in
      let gate = gates[Int(request.url.lastPathComponent) ?? 0]
      return .response(body: body, headers: ["Content-Length": "\(body.count)"], pieceByteCount: body.count / 2) {
        try? await gate.wait()
      }
    }
    let task = fixture.pipeline.batch(for: requests(2))
    var halves = task.progress.makeAsyncIterator()
    while let progress = await halves.next(), progress.fraction < 0.5 {}
    gates[0].open()
    while let progress = await halves.next(), progress.completedCount == 0 {}
    gates[1].open()
    var last: BatchProgress?
    while let progress = await halves.next() { last = progress }
    #expect(last?.fraction == 1)
    #expect(last?.completedCount == 2)
    #expect(last?.receivedByteCount == 2 * body.count)
  }

  @Test func `the fraction is 1 only when all images have ended, also if all are received`() async throws {
    let tracker = BatchProgressTracker(count: 10)
    let response = try await PipelineFixture.serving().pipeline.response(for: requests(1)[0])
    var changes = tracker.broadcaster.stream().makeAsyncIterator()
    tracker.update(LoadProgress(receivedByteCount: 3, expectedByteCount: nil), of: 0)
    let first = try #require(await changes.next())
    #expect(first.receivedByteCount == 3)
    #expect(first.fraction == 0, "the length is not known")
    for index in 0..<10 { tracker.update(LoadProgress(receivedByteCount: 5, expectedByteCount: 5), of: index) }
    for index in 0..<9 { #expect(tracker.end(index, .success(response)).fraction < 1) }
    let progress = try #require(await changes.next())
    #expect(progress.endedCount == 9 && progress.fraction < 1)
    #expect("\(progress)" == "9 of 10 images, 50 bytes, 99 %")
    let last = tracker.end(9, .failure(.cancelled))
    #expect(last.fraction == 1)
    #expect("\(last)" == "10 of 10 images, 1 failed, 50 bytes, 100 %")
    tracker.update(LoadProgress(receivedByteCount: 1, expectedByteCount: 5), of: 9)
    #expect(await changes.next() == last)
  }

  @Test func `equal requests in a batch are coalesced, and each receives the image`() async throws {
    let fixture = PipelineFixture.serving()
    let images = try await fixture.pipeline.batch(for: Array(repeating: ImageRequest(url: fixture.url), count: 8))
      .images
    #expect(images.count == 8)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `six batches of a frame and four photos load concurrently, each complete and in order`() async throws {
    let fixture = PipelineFixture { request in
      let isFrame = request.url.lastPathComponent == "frame"
      return .response(body: SolidImage(width: isFrame ? 1200 : 900, height: isFrame ? 3600 : 1200).data)
    }
    try await withThrowingTaskGroup { group in
      for strip in 0..<6 {
        group.addTask {
          let images = try await fixture.pipeline.batch(for: FourCut.requests(strip: strip)).images
          #expect(images.count == 5)
          #expect(images[0].size == PixelSize(width: 341, height: 1024))
          #expect(images.dropFirst().allSatisfy { $0.size == PixelSize(width: 480, height: 640) })
        }
      }
      try await group.waitForAll()
    }
    // The frame is transferred once for all six strips, and each photo once.
    let imageCount = 1 + 6 * 4
    #expect(fixture.transport.requests.count == imageCount)
    #expect(fixture.decoder.decodedSizes.count == imageCount)
  }
}

/// A photo booth strip: a frame and four photos.
private enum FourCut {
  static func requests(strip: Int) throws -> [ImageRequest] {
    let frame = try #require(URL(string: "http://frames.example.com/frame"))
    let photos = try (0..<4).map { try #require(URL(string: "http://photos.example.com/\(strip)/\($0)")) }
    return [ImageRequest(url: frame, size: .fit(width: 1024, height: 1024))]
      + photos.map { ImageRequest(url: $0, size: .fit(width: 640, height: 640)) }
  }
}
