#if GTK
import HalcyonCache
import CGTK
public import CGTK
public import Halcyon

extension ImageCache {
  /// Tells each ``DiskCache`` in this cache when an application ends, as long as that lives: at the signal `shutdown`,
  /// which comes after the main loop, it writes down what was read, and cleans where its ``CleaningPolicy`` has
  /// `.termination`.
  ///
  /// Views do this for the pipelines that load their images, with the application that `g_application_get_default()`
  /// gives; doing it again does nothing. A program without an application calls ``DiskCache/willTerminate()`` itself.
  @MainActor
  public func followLifeCycle(of application: UnsafeMutablePointer<GApplication>) {
    ApplicationLifeCycle.of(application).add(self)
  }
}

/// Tells disk caches when an application ends, as long as they live. Kept by the application and gone with it.
@MainActor
final class ApplicationLifeCycle {
  private struct Follower { weak var disk: DiskCache? }

  private static let key = g_quark_from_string("halcyon-life-cycle")

  private var followers: [Follower] = []
  private var disks: [DiskCache] { followers.compactMap(\.disk) }

  /// That of an application, made where there is none.
  static func of(_ application: UnsafeMutablePointer<GApplication>) -> ApplicationLifeCycle {
    let object = UnsafeMutableRawPointer(application).assumingMemoryBound(to: GObject.self)
    if let known = g_object_get_qdata(object, key) {
      return Unmanaged<ApplicationLifeCycle>.fromOpaque(known).takeUnretainedValue()
    }
    let lifeCycle = ApplicationLifeCycle()
    g_object_set_qdata_full(object, key, Unmanaged.passRetained(lifeCycle).toOpaque()) { lifeCycle in
      lifeCycle.map { Unmanaged<ApplicationLifeCycle>.fromOpaque($0).release() }
    }
    // The main loop has ended by then, so nothing that waits would be waited for.
    Signal.connect(application, "shutdown") { [weak lifeCycle] in lifeCycle?.willTerminate() }
    return lifeCycle
  }

  /// Tells the folders on disk of a cache, each of them once.
  func add(_ cache: ImageCache) {
    followers.removeAll { $0.disk == nil }
    for disk in cache.disks where !disks.contains(where: { $0 === disk }) { followers.append(Follower(disk: disk)) }
  }

  private func willTerminate() {
    for disk in disks { disk.willTerminate() }
  }
}
#endif
