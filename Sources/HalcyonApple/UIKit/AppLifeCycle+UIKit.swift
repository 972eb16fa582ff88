#if canImport(UIKit) && !os(watchOS)
import Foundation
import Halcyon
import UIKit

extension AppLifeCycle {
  /// App extensions have no `UIApplication`, which posts these notifications, and are not notified.
  func observeUIApplication() {
    let center = NotificationCenter.default
    _ = center.addObserver(
      forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
    ) { notification in
      let application = notification.object as? UIApplication
      MainActor.assumeIsolated { AppLifeCycle.shared.enterBackground(application) }
    }
    _ = center.addObserver(
      forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: nil
    ) { _ in
      MainActor.assumeIsolated { AppLifeCycle.shared.didReceiveMemoryWarning() }
    }
    _ = center.addObserver(forName: UIApplication.willTerminateNotification, object: nil, queue: nil) { _ in
      MainActor.assumeIsolated { AppLifeCycle.shared.willTerminate() }
    }
  }

  private func enterBackground(_ application: UIApplication?) {
    // Begun before the notification returns: the app may be suspended after that.
    let backgroundTask = application.map { BackgroundTask($0) }
    Task {
      await willEnterBackground()
      backgroundTask?.end()
    }
  }
}

/// A background task of `UIApplication`: while it runs, the app is not suspended.
@MainActor
private final class BackgroundTask {
  private let application: UIApplication
  private var id = UIBackgroundTaskIdentifier.invalid

  init(_ application: UIApplication) {
    self.application = application
    id = application.beginBackgroundTask(withName: "halcyon.cache") { [weak self] in self?.end() }
  }

  /// Ends the task, also when its time expires: the system terminates an app that does not. Idempotent.
  func end() {
    guard id != .invalid else { return }
    application.endBackgroundTask(id)
    id = .invalid
  }
}
#endif
