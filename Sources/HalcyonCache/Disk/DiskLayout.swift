import HalcyonSupport
import Foundation

/// Where the files of a disk cache lie below its folder.
///
/// ```
/// v1/index.db    sizes and order                    v1/d/00..ff/HASH   one file an entry
/// v1/gate        held while the index is in use     v1/tmp/NAME        what each writer is writing
/// v1/own/NAME    held by each writer that lives
/// ```
struct DiskLayout: Sendable {
  let root: String

  var version: String { root + "/v1" }
  var index: String { version + "/index.db" }
  /// What is left of an index that was damaged.
  var damagedIndex: String { version + "/index.damaged" }
  var gate: String { version + "/gate" }
  var temporaries: String { version + "/tmp" }
  var owners: String { version + "/own" }
  var entries: String { version + "/d" }
  private var tag: String { root + "/CACHEDIR.TAG" }

  func entry(_ digest: [UInt8]) -> String {
    shard(of: digest) + "/" + digest.hexadecimal
  }

  /// The folder that the entry of a digest is in.
  func shard(of digest: [UInt8]) -> String { digest.first.map(shard) ?? entries }

  func shard(_ number: UInt8) -> String { entries + "/" + [number].hexadecimal }

  func temporary(_ owner: String) -> String { "\(temporaries)/\(owner)" }

  func owner(_ name: String) -> String { "\(owners)/\(name)" }

  /// The digest that a file in a shard is named after.
  static func digest(_ name: String) -> [UInt8]? {
    let digits = Array(name.utf8)
    guard digits.count == 32 else { return nil }
    let bytes = stride(from: 0, to: 32, by: 2).compactMap { start in
      UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
    }
    return bytes.count == 16 && bytes.hexadecimal == name ? bytes : nil
  }

  /// Makes the folders that are missing, for their owner only. The shards are made when they get their first entry.
  func create(in fileSystem: any FileSystem) throws(DiskCacheError) {
    for folder in [owners, temporaries, entries] { try fileSystem.makeFolder(folder) }
    // Tells backup programs that the folder can be left out (bford.info/cachedir).
    guard access(tag, F_OK) != 0 else { return }
    let file = try FileDescriptor(path: tag, flags: O_WRONLY | O_CREAT, in: fileSystem)
    try file.write(Data("Signature: 8a477f597d28d172789f06886806bc55\n".utf8), at: 0)
  }
}
