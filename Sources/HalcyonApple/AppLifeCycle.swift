#if canImport(ObjectiveC) && !os(watchOS)
import Foundation
import Halcyon

/// Tells disk caches when the app leaves the screen and when it ends, as long as they live.
///
/// Toolkits post this on the main thread, and go on when what is called there has returned.
@MainActor
final class AppLifeCycle {
  static let shared = AppLifeCycle()

  private struct Follower { weak var disk: DiskCache? }

  private var followers: [Follower] = []
  private var disks: [DiskCache] { followers.compactMap(\.disk) }

  private init() {
    #if canImport(UIKit)
    observeUIApplication()
    #endif
    #if canImport(AppKit) && !targetEnvironment(macCatalyst)
    observeNSApplication()
    #endif
  }

  /// Tells the folders on disk of a cache, each of them once.
  func add(_ cache: ImageCache) {
    followers.removeAll { $0.disk == nil }
    for disk in cache.disks where !disks.contains(where: { $0 === disk }) { followers.append(Follower(disk: disk)) }
  }

  func willEnterBackground() async {
    for disk in disks { await disk.willEnterBackground() }
  }

  func willTerminate() {
    for disk in disks { disk.willTerminate() }
  }
}
#endif
