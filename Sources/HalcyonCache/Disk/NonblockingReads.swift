import HalcyonSupport
import Foundation
import Synchronization

/// Reads entries on the calling thread, as long as that waits for nothing: the kernel has the file in memory, and says so
/// with each call. All else is left to a thread that may wait.
///
/// Going to such a thread and back takes longer than the reading. Linux has the calls for this (5.12 and later), other
/// systems, tmpfs and file systems that a network or a process stands behind do not.
final class NonblockingReads: Sendable {
  /// Bytes of a file over which checking it takes longer than the change of threads that is saved.
  private static let byteLimit = 192 << 10

  private enum Ability: Int, AtomicRepresentable {
    case unknown, possible, impossible
  }

  private let ability = Atomic(Ability.unknown)

  /// Finds out whether this can be done in a folder; called on a thread that may wait.
  func judge(_ folder: String, in fileSystem: any FileSystem) {
    guard ability.load(ordering: .relaxed) == .unknown, let isRemote = try? fileSystem.isRemote(folder) else { return }
    ability.store(isRemote ? .impossible : .possible, ordering: .relaxed)
  }

  /// The entry in a file; `nil` when it takes waiting, or another look, to say.
  ///
  /// - Throws: That the file is not there.
  func read(
    path: String, key: CacheKey, in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> EntryFile.Content? {
    guard ability.load(ordering: .relaxed) == .possible else { return nil }
    do throws(DiskCacheError) {
      let file = try FileDescriptor(cached: path, in: fileSystem)
      return try EntryFile.read(file, key: key, byteLimit: Self.byteLimit)
    } catch {
      if error.isMissing { throw error }
      if let code = error.systemCode, [ENOSYS, EOPNOTSUPP, EPERM, EINVAL].contains(code) {
        ability.store(.impossible, ordering: .relaxed)
      }
      return nil
    }
  }
}
