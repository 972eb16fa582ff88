#if canImport(UIKit) && !os(watchOS)
import HalcyonSupport
import HalcyonViews
import UIKit

/// The frame clock of a view: its updates stop while the view is not in a window, or the app in the background.
@MainActor
final class UpdateLinkClock: FrameClock {
  let now: @MainActor () -> Duration = SystemTime().uptime
  var onFrame: (@MainActor (Duration) -> Void)?

  private let link: UIUpdateLink
  private var time: Duration?

  init(_ view: UIView) {
    link = UIUpdateLink(view: view)
    link.isEnabled = false
    link.requiresContinuousUpdates = true
    link.addAction { [weak self] _, _ in self?.update() }
  }

  func set(_ time: Duration) {
    self.time = time
    link.isEnabled = true
  }

  func cancel() {
    time = nil
    link.isEnabled = false
  }

  private func update() {
    let now = now()
    guard let time, now >= time else { return }
    cancel()
    onFrame?(now)
  }
}
#endif
