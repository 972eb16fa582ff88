import Foundation

/// The torture test of the disk cache, and the processes it runs.
///
/// - `halcyon-torture ROUNDS [SEED]` kills writers and checks the cache that they leave.
/// - `halcyon-torture write FOLDER SEED` is such a writer.
/// - `halcyon-torture read FOLDER` reads a cache without permission to write to it.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == "write", let seed = UInt64(arguments[3]) {
      try await TortureWriter(folder: URL(filePath: arguments[2]), seed: seed).run()
    } else if arguments.count == 3, arguments[1] == "read" {
      exit(try await TortureReader(folder: URL(filePath: arguments[2])).run() ? 0 : 1)
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
