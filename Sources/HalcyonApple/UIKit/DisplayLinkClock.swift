#if canImport(UIKit) && !os(watchOS)
import HalcyonSupport
import HalcyonViews
import ObjectiveC
import QuartzCore
import UIKit

/// The frame clock of an animation: a display link that exists only while a frame is waited for.
@MainActor
final class DisplayLinkClock: FrameClock {
  let now: @MainActor () -> Duration = SystemTime().uptime
  var onFrame: (@MainActor (Duration) -> Void)?

  private var link: CADisplayLink?
  private var time: Duration?

  func set(_ time: Duration) {
    self.time = time
    let link = self.link ?? DisplayLinkTarget(self).makeLink()
    self.link = link
    link.preferredFrameRateRange = .waiting(for: time - now())
  }

  func cancel() {
    time = nil
    link?.invalidate()
    link = nil
  }

  fileprivate func update() {
    let now = now()
    guard let time, now >= time else { return }
    self.time = nil
    onFrame?(now)
    if self.time == nil { cancel() }
  }
}

/// A display link retains its target: this one ends the link when the clock is gone.
@MainActor
private final class DisplayLinkTarget: NSObject {
  private weak var clock: DisplayLinkClock?

  init(_ clock: DisplayLinkClock) { self.clock = clock }

  func makeLink() -> CADisplayLink {
    #if canImport(Darwin)
    let selector = #selector(update(_:))
    #else
    let selector = Selector(("update:"))
    #endif
    let link = CADisplayLink(target: self, selector: selector)
    link.add(to: .main, forMode: .common)
    return link
  }

  #if canImport(Darwin)
  @objc
  #endif
  func update(_ link: CADisplayLink) {
    if let clock { clock.update() } else { link.invalidate() }
  }
}

#if !canImport(Darwin)
extension DisplayLinkTarget: CADisplayLinkTarget {}
#endif

extension CAFrameRateRange {
  /// Three updates for each frame of an animation, so that a frame is late by at most a third of its duration, and a
  /// display of 120 Hz is not updated that often for an animation of 10 frames per second.
  fileprivate static func waiting(for interval: Duration) -> CAFrameRateRange {
    let rate = Float(min(max(3 / max(interval.inSeconds, 0.01), 10), 120))
    return CAFrameRateRange(minimum: min(rate, 30), maximum: rate, preferred: rate)
  }
}
#endif
