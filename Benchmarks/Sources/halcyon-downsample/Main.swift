import Foundation
import PeerShim

/// Decodes images at the size they are shown, beside libvips: `halcyon-downsample [FOLDER]`, or runs
/// processors beside it: `halcyon-downsample processors`.
///
/// Without a folder it gathers photographs and converts them first. `CLOCK=cpu` in the environment counts processor
/// time in place of time, for machines that are busy with other things; `ROUNDS` is how often each image is decoded.
@main
enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == MemoryProbe.command {
      return try MemoryProbe.measure(URL(filePath: arguments[2]), width: Int(arguments[3]) ?? 0)
    }
    guard peer_start(arguments[0]) else { throw PeerError.failed("libvips did not start") }
    if arguments.count == 2, arguments[1] == "processors" { return try ProcessorBenchmark.run() }
    let files = try arguments.count > 1 ? Corpus.files(in: URL(filePath: arguments[1])) : Corpus.gathered()
    TimeBenchmark(files: files).run()
    try MemoryBenchmark(files: files).run()
    try FoundingBenchmark.run()
  }
}

/// Why libvips or libjpeg did not do what was asked.
enum PeerError: Error {
  case failed(String)
}
