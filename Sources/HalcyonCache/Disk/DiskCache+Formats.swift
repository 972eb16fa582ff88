public import Foundation
import HalcyonSupport

extension DiskCache {
  /// The format of the files that this version of the library reads and writes.
  public static let format = DiskLayout.currentFormat

  /// Whether a folder contains a disk cache of this ``format``, which ``init(directory:configuration:time:)`` would
  /// otherwise create.
  public static func exists(in directory: URL) -> Bool { formats(in: directory).contains(format) }

  /// The formats of the disk caches in a folder, the oldest first: one for each version of the library that has used it;
  /// empty if the folder has none, or cannot be listed.
  public static func formats(in directory: URL) -> [Int] {
    let root = directory.path(percentEncoded: false)
    let names = (try? SystemFiles().names(in: root, followsLink: true)) ?? []
    return names.compactMap(DiskLayout.format).sorted().filter { format in
      access(DiskLayout(root: root, format: format).index, F_OK) == 0
    }
  }
}
