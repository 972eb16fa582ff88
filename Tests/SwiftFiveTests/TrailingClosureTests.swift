import Foundation
import HalcyonHTTP
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import HalcyonTestTraits
import Testing

/// Programs in the language mode of Swift 5.
@Suite(.unitTest)
@MainActor
struct TrailingClosureTests {
  private final class Display: ImageDisplay {
    let displaySize = ViewSize(width: 10, height: 10)
    let displayScale = 1.0
    let displayMode = ImageDisplayMode.fit
    func show(_ content: DisplayContent, transition: ImageTransition) {}
    func showIndicator(_ indicator: LoadingIndicator) {}
    func updateIndicator(_ progress: LoadProgress) {}
    func hideIndicator() {}
  }

  @Test func `the trailing closure of setImage is the completion`() {
    let pipeline = ImagePipeline(
      configuration: PipelineConfiguration(
        transport: ScriptedTransport { _ in .response(status: 404, body: Data()) }, decoders: []))
    let display = Display()
    let binder = ImageViewBinder(display: display, pipeline: pipeline)
    var count = 0
    binder.hc.setImage(with: nil) { _ in count += 1 }
    #expect(count == 1)
  }
}
