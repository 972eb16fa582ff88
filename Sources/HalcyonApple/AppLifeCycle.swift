#if canImport(ObjectiveC) && !os(watchOS)
import Foundation
public import Halcyon
import HalcyonCache

extension ImageCache {
  /// Notifies this cache of memory warnings, and each ``DiskCache`` in it when the app enters the background and when it
  /// terminates.
  ///
  /// A memory warning empties the memory tier; images in use are found again, see
  /// ``MemoryCacheConfiguration/findsImagesInUse``. In the background the memory tier keeps a tenth of its limit, and a disk
  /// cache writes its pending accesses to its index, cleans if its ``CleaningPolicy`` includes that occasion, and releases
  /// its locks. The cache is held weakly. Idempotent.
  ///
  /// On macOS, resigning active counts as entering the background, and empties no memory; elsewhere the app requests
  /// background time from the system, and extensions are notified with their host. Views call this for the pipelines that
  /// load their images.
  @MainActor
  public func followAppLifeCycle() { AppLifeCycle.shared.add(self) }
}

/// Notifies caches, held weakly, of memory warnings, and when the app enters the background and when it terminates.
///
/// UIKit and AppKit post these notifications on the main thread, and proceed when the observers have returned.
@MainActor
final class AppLifeCycle {
  static let shared = AppLifeCycle()

  private struct WeakCache { weak var cache: ImageCache? }

  private var observers: [WeakCache] = []
  var caches: [ImageCache] { observers.compactMap(\.cache) }
  /// The disk caches, each of them once.
  private var disks: [DiskCache] {
    var seen: Set<ObjectIdentifier> = []
    return caches.flatMap(\.disks).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  private init() {
    #if canImport(UIKit)
    observeUIApplication()
    #endif
    #if canImport(AppKit) && !targetEnvironment(macCatalyst)
    observeNSApplication()
    #endif
  }

  func add(_ cache: ImageCache) {
    guard !observers.contains(where: { $0.cache === cache }) else { return }
    observers.removeAll { $0.cache == nil }
    observers.append(WeakCache(cache: cache))
  }

  func didReceiveMemoryWarning() {
    for cache in caches { cache.memory.trim(for: .warning) }
  }

  func willEnterBackground() async {
    for disk in disks { await disk.willEnterBackground() }
  }

  func willTerminate() {
    for disk in disks { disk.willTerminate() }
  }
}
#endif
