#if canImport(CHalcyonGTK)
import HalcyonCache
public import CHalcyonGTK
public import Halcyon

extension ImageCache {
  /// Calls ``DiskCache/willTerminate()`` on each ``DiskCache`` in this cache when the application shuts down.
  ///
  /// At the signal `shutdown`, emitted after the main loop has ended, a disk cache writes its pending accesses to its
  /// index, and cleans if its ``CleaningPolicy`` includes `.termination`. Disk caches are held weakly. Idempotent.
  ///
  /// Views call this for the pipelines that load their images, with the application of `g_application_get_default()`. A
  /// program without a `GApplication` calls ``DiskCache/willTerminate()`` itself.
  @MainActor
  public func followLifeCycle(of application: UnsafeMutablePointer<GApplication>) {
    ApplicationLifeCycle.of(application).add(self)
  }
}

/// Notifies disk caches, held weakly, when an application shuts down. Owned by the application.
@MainActor
private final class ApplicationLifeCycle {
  private struct WeakDiskCache { weak var disk: DiskCache? }

  private static let key = g_quark_from_string("halcyon-life-cycle")

  private var observers: [WeakDiskCache] = []
  private var disks: [DiskCache] { observers.compactMap(\.disk) }

  /// The instance attached to an application, created at the first call.
  static func of(_ application: UnsafeMutablePointer<GApplication>) -> ApplicationLifeCycle {
    if let existing: ApplicationLifeCycle = application.owned(under: key) { return existing }
    let lifeCycle = application.own(ApplicationLifeCycle(), under: key)
    // Synchronous: the main loop has ended, so no task would run any more.
    application.connect("shutdown") { [weak lifeCycle] in lifeCycle?.willTerminate() }
    return lifeCycle
  }

  /// Adds the disk caches of a cache, each of them once.
  func add(_ cache: ImageCache) {
    observers.removeAll { $0.disk == nil }
    for disk in cache.disks where !disks.contains(where: { $0 === disk }) {
      observers.append(WeakDiskCache(disk: disk))
    }
  }

  private func willTerminate() {
    for disk in disks { disk.willTerminate() }
  }
}
#endif
