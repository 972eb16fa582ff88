#if canImport(UIKit) && !os(watchOS)
import UIKit

/// Time in which an app that has left the screen is not suspended.
@MainActor
final class UIBackgroundTime {
  private let application: UIApplication
  private var id = UIBackgroundTaskIdentifier.invalid

  init(_ application: UIApplication) {
    self.application = application
    id = application.beginBackgroundTask(withName: "halcyon.cache") { [weak self] in self?.end() }
  }

  /// Gives back what is left. The system ends an app that keeps it for too long.
  func end() {
    guard id != .invalid else { return }
    application.endBackgroundTask(id)
    id = .invalid
  }
}
#endif
