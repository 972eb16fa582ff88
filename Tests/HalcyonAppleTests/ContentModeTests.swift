#if canImport(UIKit) && canImport(AppKit)
import AppKit
import Foundation
import Halcyon
import HalcyonApple
import HalcyonTesting
import HalcyonViews
import SwiftUI
import HalcyonTestSupport
import HalcyonTestTraits
import Testing
import UIKit

/// The content mode of a view that changes: the pixels are those of a load in the last mode.
// One at a time: settings of the system are the same for all views.
@MainActor @Suite(.integrationTest, .serialized)
struct ContentModeTests: SwiftUIStage {
  enum Toolkit: CaseIterable, Sendable { case uiKit, appKit, layer, swiftUI }
  enum Moment: CaseIterable, Sendable { case before, whileLoading, shown }

  /// A view of 10 × 10 points.
  private struct TestedView {
    let modeCount: Int
    let set: @MainActor (URL) -> Void
    let setMode: @MainActor (Int) -> Void
    let pixels: @MainActor () -> CGImage?
    @MainActor var size: [Int?] { [pixels()?.width, pixels()?.height] }
  }

  private let square = CGRect(x: 0, y: 0, width: 10, height: 10)
  private let phone = UIWindow(frame: CGRect(x: 0, y: 0, width: 300, height: 300))

  private func view(_ toolkit: Toolkit, _ fixture: AppleFixture) -> TestedView {
    switch toolkit {
    case .uiKit:
      let view = UIImageView(frame: square)
      view.hc.pipeline = fixture.pipeline
      phone.addSubview(view)
      let modes = [UIView.ContentMode.scaleToFill, .scaleAspectFit, .scaleAspectFill, .center]
      return TestedView(
        modeCount: modes.count, set: { view.hc.setImage(with: $0, completion: fixture.completion) },
        setMode: { view.contentMode = modes[$0] }, pixels: { view.image?.cgImage })
    case .appKit:
      let (view, window) = (NSImageView(frame: square), NSWindow())
      view.hc.pipeline = fixture.pipeline
      window.contentView = view
      let modes = [NSImageScaling.scaleProportionallyDown, .scaleAxesIndependently, .scaleNone]
      return TestedView(
        modeCount: modes.count, set: { view.hc.setImage(with: $0, completion: fixture.completion) },
        setMode: { view.imageScaling = modes[$0] },
        pixels: {
          withExtendedLifetime(window) { view.image?.cgImage(forProposedRect: nil, context: nil, hints: nil) }
        })
    case .layer:
      let layer = CALayer()
      (layer.bounds, layer.contentsScale) = (square, 2)
      layer.hc.pipeline = fixture.pipeline
      let modes = [CALayerContentsGravity.resize, .resizeAspect, .resizeAspectFill]
      return TestedView(
        modeCount: modes.count, set: { layer.hc.setImage(with: $0, completion: fixture.completion) },
        setMode: {
          layer.contentsGravity = modes[$0]
          layer.imageSizeDidChange()
        },
        pixels: { layer.contents as? CGImage })
    case .swiftUI: return swiftUIView(fixture)
    }
  }

  private func swiftUIView(_ fixture: AppleFixture) -> TestedView {
    var view = HalcyonImage(url: nil, pipeline: fixture.pipeline)
    var (url, mode) = (URL?.none, 0)
    let update: @MainActor () -> Void = {
      let next = HalcyonImage(url: url, pipeline: fixture.pipeline).onCompletion(fixture.completion)
      view = view.keepingState(
        in: [next.contentMode(.fit), next.contentMode(.fill), next.contentMode(.stretch), next.resizable()][mode])
      show(view)
      for modifier in modifiers(view.body) { modifier.onValueChange?() }
    }
    return TestedView(
      modeCount: 4,
      set: {
        url = $0
        update()
      },
      setMode: {
        mode = $0
        if url != nil { update() }
      },
      pixels: { images(view.body).first?.pixels })
  }

  @Test(arguments: Toolkit.allCases, Moment.allCases)
  func `the pixels are those of a load in the last mode, from one download`(
    toolkit: Toolkit, moment: Moment
  ) async throws {
    let count = view(toolkit, AppleFixture()).modeCount
    for (first, last) in (0..<count).flatMap({ first in (0..<count).map { (first, $0) } }) {
      let fresh = AppleFixture()
      let expected = view(toolkit, fresh)
      expected.setMode(last)
      expected.set(fresh.url("90x30"))
      try await fresh.ends.waitForEvents(count: 1)
      let fixture = AppleFixture { $0.cache = ImageCache(store: MemoryDataStore()) }
      let view = view(toolkit, fixture)
      view.setMode(moment == .before ? last : first)
      view.set(fixture.url("90x30"))
      if moment == .whileLoading { view.setMode(last) }
      try await fixture.ends.waitForEvents(count: 1)
      if moment == .shown { view.setMode(last) }
      while view.size != expected.size { try await Task.yieldUnlessCancelled() }
      #expect(view.size == expected.size, "from \(first) to \(last)")
      #expect(fixture.transport.requests.count == 1)
    }
  }
}
#endif
