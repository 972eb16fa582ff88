#if canImport(UIKit) && !os(watchOS)
import Foundation
import Halcyon
import UIKit

extension AppLifeCycle {
  func observeUIApplication() {
    let center = NotificationCenter.default
    // Extensions have no `UIApplication`, which posts the other notifications.
    _ = center.addObserver(forName: .NSExtensionHostDidEnterBackground, object: nil, queue: nil) { _ in
      Self.enterBackgroundInExtension()
    }
    _ = center.addObserver(
      forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
    ) { notification in
      let application = notification.object as? UIApplication
      MainActor.assumeIsolated { AppLifeCycle.shared.enterBackground(application) }
    }
    for name in [UIApplication.willEnterForegroundNotification, .NSExtensionHostWillEnterForeground] {
      _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in
        // Extensions get theirs on any thread.
        Task { @MainActor in AppLifeCycle.shared.willEnterForeground() }
      }
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
    for cache in caches { cache.trimForBackground() }
    Task {
      await willEnterBackground()
      backgroundTask?.end()
    }
  }

  /// On any thread. An extension that is suspended with the lock of a shared file is terminated.
  private nonisolated static func enterBackgroundInExtension() {
    let isDone = DispatchSemaphore(value: 0)
    ProcessInfo.processInfo.performExpiringActivity(withReason: "halcyon.cache") { isExpired in
      // The system waits for this closure to return, on a thread of its own.
      if !isExpired { isDone.wait() }
    }
    Task { @MainActor in
      for cache in shared.caches { cache.trimForBackground() }
      await shared.willEnterBackground()
      isDone.signal()
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
