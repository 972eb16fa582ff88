import Foundation
import HalcyonCache
import HalcyonSupport

/// The torture test of the disk cache, and the processes it runs.
///
/// - `halcyon-torture ROUNDS [SEED]` kills writers and checks the cache that they leave.
/// - `halcyon-torture write FOLDER SEED` is such a writer.
/// - `halcyon-torture read FOLDER` reads a cache without permission to write to it.
/// - `halcyon-torture visit FOLDER FORMAT KEY` stores an entry as a version with that format; exits with 3 if it is there.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == "write", let seed = UInt64(arguments[3]) {
      try await TortureWriter(folder: URL(filePath: arguments[2]), seed: seed).run()
    } else if arguments.count == 3, arguments[1] == "read" {
      exit(try await TortureReader(folder: URL(filePath: arguments[2])).run() ? 0 : 1)
    } else if arguments.count == 5, arguments[1] == "visit", let format = Int(arguments[3]) {
      let cache = DiskCache(directory: URL(filePath: arguments[2], directoryHint: .isDirectory), format: format)
      let key = CacheKey(arguments[4])
      if try await cache.entry(for: key) != nil { exit(3) }
      let metadata = EntryMetadata(requestDate: Date(), responseDate: Date())
      try await cache.store(StoredEntry(body: Data(arguments[4].utf8), metadata: metadata), for: key)
    } else if arguments.count >= 2, let roundCount = Int(arguments[1]) {
      let seed = arguments.count > 2 ? UInt64(arguments[2]) : nil
      var torture = try Torture(seed: seed ?? UInt64.random(in: 0...UInt64.max))
      exit(try await torture.run(roundCount: roundCount) ? 0 : 1)
    } else {
      print("usage: halcyon-torture ROUNDS [SEED]")
      exit(2)
    }
  }
}
