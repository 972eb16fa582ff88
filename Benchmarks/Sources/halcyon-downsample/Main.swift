import BenchMetric
import Foundation
import PeerShim

/// Benchmarks against libvips: downsampling while decoding with `halcyon-downsample [FOLDER]`, image processors with
/// `halcyon-downsample processors`.
///
/// Without a folder, the corpus is made from Debian's wallpapers on the first run. With `CLOCK=cpu` in the environment,
/// CPU time is measured instead of wall-clock time, for busy machines; `ROUNDS` is the number of decodes for each image.
@main
enum Main {
  static func main() {
    do { try run() } catch { endProgram(with: error) }
  }

  private static func run() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == MemoryProbe.command {
      return try MemoryProbe.measure(URL(filePath: arguments[2]), width: Int(arguments[3]) ?? 0)
    }
    guard peer_start(arguments[0]) else { throw PeerError.failed("libvips could not be initialized") }
    if arguments.count == 2, arguments[1] == "processors" { return try ProcessorBenchmark.run() }
    let folder = arguments.count > 1 ? URL(filePath: arguments[1]) : nil
    let files = try folder.map(Corpus.files) ?? Corpus.wallpapers()
    TimeBenchmark(files: files).run()
    try MemoryBenchmark(files: folder == nil ? Corpus.twelveMegapixels() : files).run()
  }
}

/// A failure of libvips or of a measurement.
enum PeerError: Error {
  case failed(String)
}
