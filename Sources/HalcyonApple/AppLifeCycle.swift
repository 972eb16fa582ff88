#if canImport(ObjectiveC) && !os(watchOS)
import Foundation
public import Halcyon

extension ImageCache {
  /// Notifies each ``DiskCache`` in this cache when the app enters the background and when it terminates.
  ///
  /// A disk cache then writes its pending accesses to its index, and cleans if its ``CleaningPolicy`` includes that
  /// occasion. Disk caches are held weakly. Idempotent.
  ///
  /// On macOS, resigning active counts as entering the background; elsewhere the app requests background time from the
  /// system. The first use of a view's `hc` calls this for the cache of ``ImagePipeline/shared``.
  @MainActor
  public func followAppLifeCycle() { AppLifeCycle.shared.add(self) }
}

/// Notifies disk caches, held weakly, when the app enters the background and when it terminates.
///
/// UIKit and AppKit post these notifications on the main thread, and proceed when the observers have returned.
@MainActor
final class AppLifeCycle {
  static let shared = AppLifeCycle()

  private struct WeakDiskCache { weak var disk: DiskCache? }

  private var observers: [WeakDiskCache] = []
  private var disks: [DiskCache] { observers.compactMap(\.disk) }

  private init() {
    #if canImport(UIKit)
    observeUIApplication()
    #endif
    #if canImport(AppKit) && !targetEnvironment(macCatalyst)
    observeNSApplication()
    #endif
  }

  /// Adds the disk caches of a cache, each of them once.
  func add(_ cache: ImageCache) {
    observers.removeAll { $0.disk == nil }
    for disk in cache.disks where !disks.contains(where: { $0 === disk }) {
      observers.append(WeakDiskCache(disk: disk))
    }
  }

  func willEnterBackground() async {
    for disk in disks { await disk.willEnterBackground() }
  }

  func willTerminate() {
    for disk in disks { disk.willTerminate() }
  }
}
#endif
