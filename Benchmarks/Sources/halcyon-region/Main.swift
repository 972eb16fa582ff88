import BenchMetric
import Foundation
import Halcyon
import HalcyonImaging

/// Decodes a region of a file twice: `halcyon-region FILE LEFT,TOP,WIDTH,HEIGHT [tiles]`, with `tiles` as tiles of an opened
/// picture. Prints the seconds of CPU time of both, opening included, and the growth of the memory in megabytes.
@main
enum Main {
  static func main() async {
    do { try await run() } catch { endProgram(with: error) }
  }

  private static func run() async throws {
    let arguments = CommandLine.arguments
    let numbers = arguments.count >= 3 ? arguments[2].split(separator: ",").compactMap { Int($0) } : []
    guard numbers.count == 4, arguments.count == 3 || arguments[3...] == ["tiles"] else { throw UsageError() }
    let region = PixelArea(left: numbers[0], top: numbers[1], width: numbers[2], height: numbers[3])
    let file = try Data(contentsOf: URL(filePath: arguments[1]))
    let limits = ImageLimits(pixelCount: 250_000_000, encodedByteCount: .max)
    let pipeline = ImagePipeline { ($0.cache, $0.limits) = (ImageCache(disk: nil), limits) }
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try residentPeak()
    var seconds: [Double] = []
    var picture: TiledImage?
    for _ in 0..<2 {
      let start = clock()
      if arguments.count == 3 {
        _ = try await DecodedImage(data: file, region: region, limits: limits)
      } else {
        let opened =
          if let picture { picture } else { try await pipeline.tiledImage(for: ImageRequest(source: .data(file))) }
        picture = opened
        _ = try await opened.tile(region)
      }
      seconds.append(Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }
    print(seconds[0], seconds[1], Double(try residentPeak() - before) / 1024)
  }

  /// In kilobytes.
  private static func residentPeak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
  }
}

private struct UsageError: Error, CustomStringConvertible {
  var description: String { "use it as halcyon-region FILE LEFT,TOP,WIDTH,HEIGHT [tiles]" }
}
