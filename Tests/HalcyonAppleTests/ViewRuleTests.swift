#if canImport(UIKit) && canImport(AppKit)
import Accessibility
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

/// The same rules in UIKit, AppKit and SwiftUI, with options that only the pipeline sets.
@MainActor @Suite(.integrationTest)
struct ViewRuleTests: SwiftUIStage {
  enum Toolkit: CaseIterable, Sendable { case uiKit, appKit, swiftUI }

  /// A view of 10 × 10 points, at a scale of 2 except in AppKit.
  private struct TestedView {
    let set: @MainActor (URL?) -> Void
    /// The pixels that are drawn.
    let pixels: @MainActor () -> CGImage?
    /// The width of what is drawn.
    @MainActor var width: Int? { pixels()?.width }
    let animation: @MainActor () -> AnimationController?
    let indicatorCount: @MainActor () -> Int
    let tap: @MainActor () -> Void
  }

  private let square = CGRect(x: 0, y: 0, width: 10, height: 10)
  private let phone = UIWindow(frame: CGRect(x: 0, y: 0, width: 300, height: 300))
  private let desk = NSWindow()

  private func fixture(_ options: ImageViewOptions) -> AppleFixture {
    AppleFixture { $0.viewOptions = options }
  }

  private func view(_ toolkit: Toolkit, _ fixture: AppleFixture) -> TestedView {
    switch toolkit {
    case .uiKit: uiKitView(fixture)
    case .appKit: appKitView(fixture)
    case .swiftUI: swiftUIView(fixture)
    }
  }

  private func uiKitView(_ fixture: AppleFixture) -> TestedView {
    let view = UIImageView(frame: square)
    view.hc.pipeline = fixture.pipeline
    phone.addSubview(view)
    return TestedView(
      set: { view.hc.setImage(with: $0, completion: fixture.completion) }, pixels: { view.image?.cgImage },
      animation: { view.hc.animation },
      indicatorCount: { view.subviews.count { $0 is UIActivityIndicatorView } },
      tap: { (view.hitTest(CGPoint(x: 5, y: 5), with: nil) as? UIControl)?.sendActions(for: .touchUpInside) })
  }

  private func appKitView(_ fixture: AppleFixture) -> TestedView {
    let view = NSImageView(frame: square)
    view.hc.pipeline = fixture.pipeline
    desk.contentView = view
    return TestedView(
      set: { view.hc.setImage(with: $0, completion: fixture.completion) },
      pixels: { view.image?.cgImage(forProposedRect: nil, context: nil, hints: nil) },
      animation: { view.hc.animation },
      indicatorCount: { view.subviews.count { $0 is NSProgressIndicator } },
      tap: { view.hitTest(CGPoint(x: 5, y: 5))?.mouseUp(with: NSEvent()) })
  }

  private func swiftUIView(_ fixture: AppleFixture) -> TestedView {
    var view = HalcyonImage(url: nil, pipeline: fixture.pipeline)
    return TestedView(
      set: { url in
        let next = HalcyonImage(url: url, pipeline: fixture.pipeline).onCompletion(fixture.completion)
        view = view.keepingState(in: next)
        show(view)
      },
      pixels: { images(view.body).first?.pixels },
      animation: { view.states.lazy.compactMap { $0.kept as? ObservableImage }.first?.hc.animation },
      indicatorCount: { views(of: ProgressView.self, in: view.body).count },
      tap: { modifiers(view.body).compactMap(\.onTap).first?() })
  }

  /// An image of the toolkit.
  private func placeholder(_ toolkit: Toolkit, width: Int) throws -> ImagePlaceholder {
    let image = try DecodedImage(
      bitmap: AppleFixture.bitmap(width: width, height: 3),
      info: ImageInfo(format: .png, storedSize: PixelSize(width: width, height: 3)))
    return toolkit == .appKit ? .nsImage(try #require(image.nsImage)) : .uiImage(try #require(image.uiImage))
  }

  @Test(arguments: Toolkit.allCases)
  func `placeholder, indicator and failure content are those of the pipeline`(toolkit: Toolkit) async throws {
    let fixture = fixture(
      ImageViewOptions(
        placeholder: try placeholder(toolkit, width: 3), placeholderDelay: .zero,
        failure: .shows(try placeholder(toolkit, width: 5)), indicator: .activity))
    let view = view(toolkit, fixture)
    view.set(fixture.url("gone"))
    #expect(view.width == 3 && view.indicatorCount() == 1)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(view.width == 5 && view.indicatorCount() == 0)
  }

  @Test(arguments: Toolkit.allCases)
  func `the image stays while another one is loaded, and if that fails`(toolkit: Toolkit) async throws {
    let fixture = fixture(ImageViewOptions(keepsCurrentImage: true))
    let view = view(toolkit, fixture)
    view.set(fixture.url("8x8"))
    try await fixture.ends.waitForEvents(count: 1)
    view.set(fixture.url("gone"))
    #expect(view.width == 8)
    try await fixture.ends.waitForEvents(count: 2)
    #expect(fixture.ends.events.last == "404" && view.width == 8)
  }

  @Test(arguments: Toolkit.allCases)
  func `a tap retries a failed image`(toolkit: Toolkit) async throws {
    let fixture = fixture(ImageViewOptions(retriesOnTap: true))
    let view = view(toolkit, fixture)
    view.set(fixture.url("recovering"))
    try await fixture.ends.waitForEvents(count: 1)
    view.tap()
    while view.width == nil, !Task.isCancelled { await Task.yield() }
    #expect(fixture.transport.requests.count == 2)
  }

  @Test(arguments: Toolkit.allCases, [(false, nil), (true, nil), (true, .sRGB)] as [(Bool, TargetColorSpace?)])
  func `on a wide screen an image keeps the colours of its file, unless the pipeline names a space`(
    toolkit: Toolkit, setting: (isWide: Bool, space: TargetColorSpace?)
  ) async throws {
    let fixture = AppleFixture { $0.options.colorSpace = setting.space }
    let view = view(toolkit, fixture)
    if setting.isWide {
      // Outside of UIKit's own calls the current traits do not say it; SwiftUI has those of the view that it is in.
      if toolkit == .swiftUI {
        EnvironmentValues.current.traits = UITraitCollection(displayGamut: .P3)
      } else {
        UITraitCollection.current = UITraitCollection(displayGamut: .P3)
      }
      NSScreen.main = NSScreen()
      NSScreen.main?.gamut = .p3
    }
    view.set(fixture.url("p3"))
    // Other tests run while this one waits.
    (UITraitCollection.current, NSScreen.main) = (UITraitCollection(displayGamut: .SRGB), nil)
    EnvironmentValues.current.traits = nil
    try await fixture.ends.waitForEvents(count: 1)
    let isKept = setting.isWide && setting.space == nil
    #expect(view.pixels()?.colorSpace?.name == (isKept ? CGColorSpace.displayP3 : CGColorSpace.sRGB))
  }

  @Test(arguments: Toolkit.allCases)
  func `an animation waits for being played where the user has turned off that they play by themselves`(
    toolkit: Toolkit
  ) async throws {
    let fixture = AppleFixture()
    let playing = view(toolkit, fixture)
    playing.set(fixture.url("gif"))
    try await fixture.ends.waitForEvents(count: 1)
    #expect(playing.animation()?.isPlaying == true)
    let waiting = view(toolkit, fixture)
    playsAnimatedImages = false
    // In memory, and shown before this returns.
    waiting.set(fixture.url("gif"))
    playsAnimatedImages = true
    let animation = try #require(waiting.animation())
    #expect(animation.frameCount == 3 && !animation.isPlaying)
    animation.play()
    #expect(animation.isPlaying)
  }
}
#endif
