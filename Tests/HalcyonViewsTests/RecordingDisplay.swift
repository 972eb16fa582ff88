import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import HalcyonTestSupport

/// A display that draws nothing and records every call.
@MainActor
final class RecordingDisplay: ImageDisplay {
  var displaySize = ViewSize(width: 50, height: 50)
  var screenSize = ViewSize.zero
  var displayScale = 2.0
  var displayMode = ImageDisplayMode.fit
  var displayColorSpace = TargetColorSpace.sRGB
  /// Called after each change of content.
  var onShow: () -> Void = {}
  /// Returned once by ``adoptProgramContent()``.
  var programContent: DisplayContent?
  /// Whether transitions last until the test calls ``onTransitionEnd``.
  var holdsTransitions = false
  var onTransitionEnd: (@MainActor () -> Void)?
  /// The calls, in order: for example `image 10x5` or `indicator activity`.
  let log = EventLog<String>()

  func show(_ content: DisplayContent, transition: ImageTransition) {
    let appearance =
      switch transition {
      case .immediate: ""
      case .crossFade(let duration): " fading for \(duration)"
      default: " in a way that displays do not get"
      }
    log.record(content.name + appearance)
    onShow()
  }

  func show(_ content: DisplayContent, transition: ImageTransition, onEnd: @escaping @MainActor () -> Void) {
    if holdsTransitions { onTransitionEnd = onEnd }
    show(content, transition: transition)
    if !holdsTransitions { onEnd() }
  }

  func adoptProgramContent() -> DisplayContent? {
    defer { programContent = nil }
    return programContent
  }

  func showIndicator(_ indicator: LoadingIndicator) {
    switch indicator {
    case .custom(let make): log.record("indicator \(make())")
    default: log.record("indicator \(indicator)")
    }
  }

  func updateIndicator(_ progress: LoadProgress) { log.record("progress \(progress.receivedByteCount)") }
  func hideIndicator() { log.record("no indicator") }
  func expectImage(_ info: ImageInfo) { log.record("expects \(info.pixelSize)") }

  /// The calls about content and indicators, without expected sizes and progress, which depend on when bytes arrive.
  var events: [String] { log.events.filter { !$0.hasPrefix("expects") && !$0.hasPrefix("progress") } }
}

extension DisplayContent {
  /// For example `image 10x5`.
  var name: String {
    switch picture {
    case .none: "nothing"
    case .image(let image): "\(role) \(image.size)"
    case .icon(let name): "\(role) \(name)"
    case .view(let view): "\(role) view \(view)"
    }
  }
}

extension RecordingDisplay {
  /// Waits until `event` has been recorded.
  func waitForShow(_ event: String) async throws {
    while !log.events.contains(event) { try await log.waitForEvents(count: log.events.count + 1) }
  }
}
