#if canImport(ObjectiveC) && !os(watchOS)
import Foundation
public import Halcyon
import HalcyonCache

extension ImageCache {
  /// Notifies this cache of memory warnings, and each ``DiskCache`` in it when the app enters the background and when it
  /// terminates.
  ///
  /// A memory warning empties the memory tier; images in use are found again. In the background the memory tier keeps a
  /// tenth of its limit, and a disk cache writes its pending accesses to its index, cleans if its ``CleaningPolicy``
  /// includes that occasion, and releases its locks, after later writes too until the app enters the foreground. The cache
  /// is held weakly. Idempotent.
  ///
  /// On macOS, resigning active counts as entering the background for a moment, and empties no memory; elsewhere the app requests
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
  /// The last change between foreground and background, after whose end the next one begins.
  private var change: Task<Void, Never>?
  private var isInBackground = false
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
    if isInBackground { _ = notify { await cache.willEnterBackground() } }
  }

  func didReceiveMemoryWarning() {
    for cache in caches { cache.memory.trim(for: .warning) }
  }

  func willEnterBackground() async {
    isInBackground = true
    await notify { [self] in for disk in disks { await disk.willEnterBackground() } }.value
  }

  /// - Returns: A task that ends when the disk caches have been notified.
  @discardableResult
  func willEnterForeground() -> Task<Void, Never> {
    isInBackground = false
    return notify { [self] in for disk in disks { await disk.willEnterForeground() } }
  }

  private func notify(_ body: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    let task = Task { [change] in
      await change?.value
      await body()
    }
    change = task
    return task
  }

  func willTerminate() {
    for disk in disks { disk.willTerminate() }
  }
}
#endif
