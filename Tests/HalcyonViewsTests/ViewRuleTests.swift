import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonTesting
import HalcyonViews
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Rules that hold for each display: one drawn by an adapter, one built from values as in SwiftUI, and one without
/// indicators as of a button.
@MainActor @Suite(.unitTest)
struct ViewRuleTests {
  enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case drawn, built, slot
    var testDescription: String { rawValue }
  }

  /// A view of a kind.
  private struct View {
    let set: @MainActor (ImageRequest?, ImageViewOptions, @escaping ImageViewProxy.Completion) -> Void
    let tap: @MainActor () -> Void
    let content: @MainActor () -> DisplayContent
    let indicator: @MainActor () -> String?

    /// Sets an image, and waits for its result.
    @MainActor func load(
      _ request: ImageRequest?, _ options: ImageViewOptions = ImageViewOptions()
    ) async throws -> String {
      let ends = EventLog<String>()
      set(request, options) { ends.record($0.name) }
      return try await ends.waitForEvents(count: 1)[0]
    }
  }

  private func view(_ kind: Kind, _ fixture: ViewFixture) -> View {
    switch kind {
    case .drawn:
      let display = RecordingDisplay()
      let binder = ImageViewBinder(display: display, time: fixture.clock) { fixture.fixture.pipeline }
      return View(
        set: { fixture.set($0, to: binder, $1, $2) }, tap: { binder.didTap() }, content: { binder.content },
        indicator: {
          let last = display.events.last { $0.contains("indicator") }
          return last == "no indicator" ? nil : last
        })
    case .built:
      let model = ImagePhaseModel(pipeline: fixture.fixture.pipeline, time: fixture.clock)
      model.resize(to: ViewSize(width: 50, height: 50), scale: 2)
      model.isVisible = true
      return View(
        set: { request, options, completion in
          var update = ImagePhaseModel.Update(request: request)
          (update.options, update.completion) = (options, completion)
          model.apply(update)
        },
        tap: { model.tap() }, content: { model.content }, indicator: { model.indicator.map { "indicator \($0)" } })
    case .slot:
      var shown = DisplayContent.Picture.none
      let slot = SlotDisplay.Slot(
        size: { ViewSize(width: 50, height: 50) }, scale: { 2 }, show: { content, _ in shown = content.picture },
        view: { nil })
      let display = SlotDisplay(slot, pipeline: fixture.fixture.pipeline)
      return View(
        set: { fixture.set($0, to: display.binder, $1, $2) }, tap: { display.binder.didTap() },
        content: { DisplayContent(shown, role: display.binder.content.role) }, indicator: { nil })
    }
  }

  @Test(arguments: Kind.allCases)
  func `options that only the pipeline sets are followed`(kind: Kind) async throws {
    let fixture = ViewFixture(holding: ["40x20"]) {
      $0.viewOptions = ImageViewOptions(
        placeholder: .icon("dots"), placeholderDelay: .zero, failure: .shows(.icon("broken")), indicator: .activity)
    }
    let view = view(kind, fixture)
    view.set(fixture.request("40x20"), ImageViewOptions()) { _ in }
    #expect(view.content().name == "placeholder dots")
    if kind != .slot { #expect(view.indicator() == "indicator activity") }
    fixture.release("40x20")
    while view.content().role != .image, !Task.isCancelled { await Task.yield() }
    #expect(view.indicator() == nil)
    #expect(try await view.load(fixture.request("gone")) == "httpStatus")
    #expect(view.content().name == "failure broken")
    #expect(view.indicator() == nil)
  }

  @Test(arguments: Kind.allCases)
  func `options that only the program sets are followed`(kind: Kind) async throws {
    let fixture = ViewFixture(holding: ["30x10"])
    let view = view(kind, fixture)
    #expect(try await view.load(fixture.request("40x20")) == "40x20 from network")
    // Other tests of views also run on the main actor, so none runs meanwhile.
    ImageViewOptions.global.keepsCurrentImage = true
    view.set(fixture.request("30x10"), ImageViewOptions()) { _ in }
    ImageViewOptions.global = ImageViewOptions()
    #expect(view.content().name == "image 40x20")
    fixture.release("30x10")
    while view.content().name != "image 30x10", !Task.isCancelled { await Task.yield() }
  }

  @Test(arguments: Kind.allCases)
  func `a failure keeps the image that stays while another one is loaded`(kind: Kind) async throws {
    let fixture = ViewFixture { $0.viewOptions.keepsCurrentImage = true }
    let view = view(kind, fixture)
    _ = try await view.load(fixture.request("40x20"))
    #expect(try await view.load(fixture.request("gone")) == "httpStatus")
    #expect(view.content().name == "image 40x20")
  }

  @Test(arguments: Kind.allCases)
  func `a failure can clear the view`(kind: Kind) async throws {
    let fixture = ViewFixture { $0.viewOptions = ImageViewOptions(placeholder: .icon("dots"), failure: .clears) }
    let view = view(kind, fixture)
    #expect(try await view.load(fixture.request("gone")) == "httpStatus")
    #expect(view.content().isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func `a tap retries if the pipeline says so`(kind: Kind) async throws {
    for retries in [false, true] {
      let fixture = ViewFixture { $0.viewOptions.retriesOnTap = retries }
      let view = view(kind, fixture)
      #expect(try await view.load(fixture.request("gone")) == "httpStatus")
      view.tap()
      while retries, fixture.fixture.transport.requests.count < 2, !Task.isCancelled { await Task.yield() }
      #expect(fixture.fixture.transport.requests.count == (retries ? 2 : 1))
    }
  }

  @Test(arguments: Kind.allCases)
  func `with the newest first, the view that was set last loads first`(kind: Kind) async throws {
    let names = ["9x9", "1x1", "2x2", "3x3"]
    let fixture = ViewFixture(holding: [names[0]]) {
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1)
      $0.loadsNewestFirst = true
    }
    let views = names.map { _ in view(kind, fixture) }
    let limiter = fixture.fixture.pipeline.loader.bytes.http.limiter
    for (index, view) in views.enumerated() {
      view.set(fixture.request(names[index]), ImageViewOptions()) { _ in }
      while limiter.activeCount < 1 || limiter.waitingCount < index, !Task.isCancelled { await Task.yield() }
    }
    fixture.release(names[0])
    while fixture.fixture.transport.requests.count < names.count, !Task.isCancelled { await Task.yield() }
    #expect(fixture.fixture.transport.requests.map(\.url.lastPathComponent) == ["9x9", "3x3", "2x2", "1x1"])
    withExtendedLifetime(views) {}
  }

  @Test(arguments: Kind.allCases)
  func `a view that is set again to an image whose load was cut short shows its last preview at once`(
    kind: Kind
  ) async throws {
    let fixture = ViewFixture(holding: ["pieces-40x20"]) { $0.decoders = [StagedDecoder()] }
    let view = view(kind, fixture)
    var request = fixture.request("pieces-40x20")
    request.previews = PreviewPolicy(keepsLast: true)
    view.set(request, ImageViewOptions()) { _ in }
    while view.content().name != "preview 2x1", !Task.isCancelled { await Task.yield() }
    _ = try await view.load(fixture.request("30x10"))
    view.set(request, ImageViewOptions()) { _ in }
    #expect(view.content().name == "preview 2x1")
    fixture.release("pieces-40x20")
    while view.content().name != "image 40x20", !Task.isCancelled { await Task.yield() }
  }

  @Test(arguments: Kind.allCases)
  func `a local file that has been written again is shown from memory, and then anew`(kind: Kind) async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "photo")
      let fixture = ViewFixture()
      let (first, second) = (view(kind, fixture), view(kind, fixture))
      try SolidImage(width: 40, height: 20).data.write(to: file)
      #expect(try await first.load(ImageRequest(url: file)) == "40x20 from file")
      try SolidImage(width: 30, height: 10, paddingByteCount: 1).data.write(to: file)
      #expect(try await second.load(ImageRequest(url: file)) == "40x20 from memory")
      #expect(second.content().name == "image 40x20")
      while second.content().name != "image 30x10", !Task.isCancelled { await Task.yield() }
      #expect(try await view(kind, fixture).load(ImageRequest(url: file)) == "30x10 from memory")
    }
  }

  @Test(arguments: Kind.allCases)
  func `a view of the toolkit is passed to the display as it is`(kind: Kind) async throws {
    let fixture = ViewFixture()
    let view = view(kind, fixture)
    let options = ImageViewOptions(placeholder: .view { 7 }, failure: .shows(.view { 8 }))
    #expect(try await view.load(nil, options) == "empty source")
    #expect(view.content().name == "placeholder view 7")
    #expect(try await view.load(fixture.request("gone"), options) == "httpStatus")
    #expect(view.content().name == "failure view 8")
  }
}

extension ViewFixture {
  /// Sets a request, or no image, with these options alone.
  fileprivate func set(
    _ request: ImageRequest?, to binder: ImageViewBinder, _ options: ImageViewOptions,
    _ completion: @escaping ImageViewProxy.Completion
  ) {
    if let request {
      binder.hc.setImage(with: request, options: options, completion: completion)
    } else {
      binder.hc.setImage(with: nil, options: options, completion: completion)
    }
  }
}
