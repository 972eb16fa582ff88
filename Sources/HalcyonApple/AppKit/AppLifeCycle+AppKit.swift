#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import Foundation
import Halcyon

extension AppLifeCycle {
  /// `didHideNotification` is not observed: an app that is hidden also resigns active.
  func observeNSApplication() {
    let center = NotificationCenter.default
    _ = center.addObserver(forName: NSApplication.didResignActiveNotification, object: nil, queue: nil) { _ in
      MainActor.assumeIsolated {
        _ = Task {
          await AppLifeCycle.shared.willEnterBackground()
          // The app goes on.
          AppLifeCycle.shared.willEnterForeground()
        }
      }
    }
    _ = center.addObserver(forName: NSApplication.willTerminateNotification, object: nil, queue: nil) { _ in
      MainActor.assumeIsolated { AppLifeCycle.shared.willTerminate() }
    }
  }
}
#endif
