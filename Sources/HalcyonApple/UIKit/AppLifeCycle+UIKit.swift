#if canImport(UIKit) && !os(watchOS)
import Foundation
import Halcyon
import UIKit

extension AppLifeCycle {
  /// App extensions have no application, and are told nothing.
  func observeUIApplication() {
    let center = NotificationCenter.default
    _ = center.addObserver(
      forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
    ) { notification in
      let application = notification.object as? UIApplication
      MainActor.assumeIsolated { AppLifeCycle.shared.enterBackground(application) }
    }
    _ = center.addObserver(forName: UIApplication.willTerminateNotification, object: nil, queue: nil) { _ in
      MainActor.assumeIsolated { AppLifeCycle.shared.willTerminate() }
    }
  }

  private func enterBackground(_ application: UIApplication?) {
    // Begun before the notification returns: the app may be suspended after that.
    let time = application.map { UIBackgroundTime($0) }
    Task {
      await willEnterBackground()
      time?.end()
    }
  }
}
#endif
