#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonCache
import HalcyonGTK
import HalcyonTestSupport

/// Disk caches at the shutdown of an application.
@MainActor
enum LifeCycleScenes {
  /// Cleans at termination only.
  private static var atTermination: CleaningPolicy {
    var policy = CleaningPolicy.whenAsked
    policy.occasions = [.termination]
    return policy
  }

  static func writesAccesses(_ stage: Stage) async throws {
    try await TemporaryDirectory.run { folder in
      let configuration = DiskCacheConfiguration(sizeLimit: 2 * 8192, cleaning: .whenAsked)
      let disk = DiskCache(directory: folder, configuration: configuration)
      try await disk.store(entry, for: "1")
      try await disk.store(entry, for: "2")
      try stage.require(try await disk.entry(for: "1") != nil, "the first entry was evicted before the shutdown")
      let application = try Application()
      ImageCache(store: disk).followLifeCycle(of: application.pointer)
      application.shutDown()
      // A new instance, which reads the index from disk; the size limit allows two entries.
      let later = DiskCache(directory: folder, configuration: configuration)
      try await later.store(entry, for: "3")
      try stage.require(try await later.containsEntry(for: "1"), "the entry that was read last has been evicted")
      try stage.require(try await !later.containsEntry(for: "2"), "nothing has been evicted")
    }
  }

  static func once(_ stage: Stage) async throws {
    try await TemporaryDirectory.run { folder in
      let disk = try await overfullCache(in: folder)
      let cache = ImageCache(store: disk)
      let application = try Application()
      for _ in 0..<2 { cache.followLifeCycle(of: application.pointer) }
      ImageCache(store: disk).followLifeCycle(of: application.pointer)
      application.shutDown()
      // A second cleaning would have removed nothing.
      let count = disk.lastCleaning?.disk[.size]?.count
      try stage.require(count == 1, "the last cleaning removed \(String(describing: count)) entries")
    }
  }

  static func ofViewCaches(_ stage: Stage) async throws {
    try await TemporaryDirectory.run { folder in
      let (first, second) = (
        try await overfullCache(in: folder.appending(path: "1")),
        try await overfullCache(in: folder.appending(path: "2"))
      )
      let application = try Application()
      try stage.require(g_application_get_default() == application.pointer, "another application is the default one")
      let picture = try await stage.addPicture()
      for disk in [first, second] {
        picture.hc.setImage(with: nil as URL?, pipeline: ImagePipeline { $0.cache = ImageCache(store: disk) })
      }
      application.shutDown()
      for disk in [first, second] {
        try stage.require(disk.lastCleaning?.total.count == 1, "a view's cache was not notified")
      }
    }
  }

  private static var entry: StoredEntry {
    StoredEntry(body: Data("body".utf8), metadata: EntryMetadata(requestDate: Date(), responseDate: Date()))
  }

  /// A cache that holds one entry, whose size is over the limit.
  private static func overfullCache(in folder: URL) async throws -> DiskCache {
    let disk = DiskCache(directory: folder, configuration: DiskCacheConfiguration(cleaning: atTermination))
    try await disk.store(entry, for: "1")
    disk.configuration.sizeLimit = 100
    return disk
  }

  /// A `GApplication` that is never run. The first one created is the default application.
  private final class Application {
    let pointer: UnsafeMutablePointer<GApplication>

    init() throws {
      guard let pointer = g_application_new(nil, GApplicationFlags(0)) else {
        throw Stage.Failure(description: "g_application_new failed")
      }
      self.pointer = pointer
    }

    deinit { g_object_unref(gpointer(pointer)) }

    /// Emits `shutdown`, as an application does after its main loop.
    func shutDown() {
      let arguments = zeroedValues(1)
      defer { freeValues(arguments) }
      g_value_init(&arguments[0], g_application_get_type())
      g_value_set_object(&arguments[0], pointer)
      g_signal_emitv(arguments.baseAddress, g_signal_lookup("shutdown", g_application_get_type()), 0, nil)
    }
  }
}
#endif
