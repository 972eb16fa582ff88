import HalcyonImaging
import HalcyonHTTP
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ImageTaskTests {
  /// A load of an image of over 1,000 bytes that arrive in pieces once they are released.
  private static func heldTask(pieceByteCount: Int) -> (task: ImageTask, release: Signal, byteCount: Int) {
    let body = SolidImage(width: 4, height: 4, paddingByteCount: 1000).data
    let release = Signal()
    let fixture = PipelineFixture(configure: { $0.progressInterval = .zero }) { _ in
      await release.wait()
      return .response(body: body, headers: ["Content-Length": "\(body.count)"], pieceByteCount: pieceByteCount)
    }
    return (fixture.pipeline.task(for: ImageRequest(url: fixture.url)), release, body.count)
  }

  @Test func `progress is reported before the result, which a late subscriber receives as well`() async throws {
    let (task, release, byteCount) = Self.heldTask(pieceByteCount: 100)
    let (events, progress, previews) = (task.events, task.progress, task.previews)
    #expect(task.result == nil)
    release.set()
    var fractions: [Double] = []
    var (endings, infos) = (0, 0)
    for await event in events {
      switch event {
      case .progress(let progress): fractions.append(progress.fraction ?? -1)
      case .finished: endings += 1
      case .info: infos += 1
      case .preview: Issue.record("unexpected preview")
      }
    }
    #expect(fractions.count == 11)
    #expect(fractions == fractions.sorted())
    #expect(fractions.last == 1)
    #expect(endings == 1)
    #expect(infos == 1)
    var received: [Int] = []
    for await step in progress { received.append(step.receivedByteCount) }
    #expect(received.last == byteCount && received == received.sorted())
    for await preview in previews { Issue.record("unexpected preview of \(preview.size)") }
    var late = 0
    for await event in task.events {
      if case .finished(.success) = event { late += 1 }
    }
    #expect(late == 1)
  }

  @Test func `a slow reader of events misses the oldest ones, never the result`() async throws {
    let (task, release, _) = Self.heldTask(pieceByteCount: 10)
    let events = task.events
    release.set()
    _ = try await task.image
    var (count, isFinished) = (0, false)
    for await event in events {
      count += 1
      isFinished = if case .finished(.success) = event { true } else { false }
    }
    #expect(count == 64)
    #expect(isFinished)
  }

  @Test func `cancelling takes effect at once, is idempotent, and does not change a result`() async throws {
    let fixture = PipelineFixture.serving()
    let done = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    _ = try await done.image
    done.cancel()
    #expect(throws: Never.self) { try done.result?.get() }

    let release = Signal()
    let held = PipelineFixture { _ in
      await release.waitIgnoringCancellation()
      return .failure(.cancelled)
    }
    let task = held.pipeline.task(for: ImageRequest(url: held.url))
    task.cancel()
    task.cancel()
    guard case .failure(.cancelled) = task.result else {
      Issue.record("unexpected result: \(String(describing: task.result))")
      return
    }
    release.set()
  }

  @Test(arguments: [(0, nil, nil), (5, 10, 0.5), (20, 10, 1.0), (5, 0, nil)] as [(Int, Int?, Double?)])
  func `the progress fraction stays between 0 and 1, and is unknown without a length`(
    received: Int, expected: Int?, fraction: Double?
  ) {
    #expect(LoadProgress(receivedByteCount: received, expectedByteCount: expected).fraction == fraction)
  }
}
