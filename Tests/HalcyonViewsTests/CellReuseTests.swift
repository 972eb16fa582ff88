import HalcyonHTTP
import HalcyonImaging
import HalcyonCache
import HalcyonSupport
import HalcyonPipeline
import HalcyonViews
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Views whose image is set again and again while loads end in any order, as in a list that is scrolled fast.
@Suite(.integrationTest, .slow)
@MainActor
struct CellReuseTests {
  /// A view that knows the image set last, and records when it shows another one.
  private final class Cell: ImageDisplay {
    let displaySize = ViewSize(width: 100, height: 100)
    let displayScale = 1.0
    let displayMode = ImageDisplayMode.fit
    /// The number of the image set last, which is also its width in pixels; `nil` before the first.
    var wanted: Int?
    var content = DisplayContent.nothing
    var hasIndicator = false
    var mismatches: [String] = []

    func show(_ content: DisplayContent, transition: ImageTransition) {
      self.content = content
      guard content.role == .image || content.role == .preview, content.image?.size.width != wanted else { return }
      mismatches.append("\(content.name) instead of \(wanted ?? 0)")
    }

    func showIndicator(_ indicator: LoadingIndicator) {
      if hasIndicator { mismatches.append("two indicators") }
      hasIndicator = true
    }

    func updateIndicator(_ progress: LoadProgress) {
      if !hasIndicator { mismatches.append("progress without an indicator") }
    }

    func hideIndicator() { hasIndicator = false }

    /// Checks that the display shows the image of a load that has succeeded.
    func expect(_ number: Int) {
      if content.image?.size.width != number { mismatches.append("\(content.name) as \(number)") }
    }
  }

  /// One view and its binder.
  @MainActor
  private struct Row {
    let cell = Cell()
    let binder: ImageViewBinder

    init(_ pipeline: ImagePipeline, _ clock: TestClock) {
      binder = ImageViewBinder(display: cell, time: clock) { pipeline }
    }
  }

  private func options(_ random: inout SplitMix) -> ImageViewOptions {
    var options = ImageViewOptions()
    options.placeholderDelay = Bool.random(using: &random) ? .zero : .seconds(1)
    options.finishesSuperseded = Bool.random(using: &random)
    options.indicator = Bool.random(using: &random) ? .activity : .hidden
    options.failure = [.keepsPlaceholder, .clears, .shows(.icon("broken"))].randomElement(using: &random) ?? .clears
    options.transition = .crossFade
    options.onlyWhileVisible = Bool.random(using: &random)
    return options
  }

  /// Whether the server has this image: it responds with 500 to every fifth number.
  nonisolated private static func exists(_ number: Int) -> Bool { number % 5 != 0 }

  private func pipeline(seed: UInt64) -> PipelineFixture {
    let random = Lock(SplitMix(state: seed))
    return PipelineFixture(configure: { configuration in
      configuration.options.retryStrategy = .never
      configuration.failureLifetimes = .none
      configuration.connectionLimits = ConnectionLimits(total: 8, perHost: 8)
    }) { request in
      let turns = random.withLock { Int.random(in: 0..<40, using: &$0) }
      for _ in 0..<turns { await Task.yield() }
      let number = Int(request.url.lastPathComponent) ?? 0
      guard Self.exists(number) else { return .response(status: 500, body: Data()) }
      return .response(body: SolidImage(width: UInt16(number), height: 1).data)
    }
  }

  @Test func `of 10,000 images set at random none is shown in the wrong view, and each completes once`() async throws {
    var random = SplitMix(state: 1)
    let clock = TestClock()
    let fixture = pipeline(seed: 2)
    let rows = (0..<12).map { _ in Row(fixture.pipeline, clock) }
    let stepCount = 10_000
    let ends = EventLog<Int>()
    for step in 0..<stepCount {
      let row = rows[Int.random(in: 0..<rows.count, using: &random)]
      let number = Int.random(in: 1...60, using: &random)
      row.cell.wanted = number
      row.binder.hc.setImage(
        with: fixture.url.deletingLastPathComponent().appending(path: "\(number)"), placeholder: .icon("dots"),
        options: options(&random)
      ) { result in
        ends.record(step)
        if case .success = result, row.binder.isVisible { row.cell.expect(number) }
      }
      switch Int.random(in: 0..<20, using: &random) {
      case 0: row.binder.cancel()
      case 1, 2: row.binder.isVisible.toggle()
      case 3: row.binder.retry()
      case 4: fixture.memory.removeAll()
      case 5: clock.advance(by: .milliseconds(700))
      case 6...13: for _ in 0..<Int.random(in: 1..<60, using: &random) { await Task.yield() }
      default: break
      }
    }
    for row in rows { row.binder.isVisible = true }
    while rows.contains(where: \.binder.isLoading) || ends.events.count < stepCount {
      clock.advance(by: .seconds(2))
      await Task.yield()
    }
    #expect(ends.events.sorted() == Array(0..<stepCount))
    for row in rows {
      #expect(row.cell.mismatches == [])
      #expect(!row.cell.hasIndicator)
      if let image = row.cell.content.image { #expect(image.size.width == row.cell.wanted) }
    }
    #expect(clock.sleeperCount == 0)
  }
}
