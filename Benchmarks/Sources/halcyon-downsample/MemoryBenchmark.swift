import BenchMetric
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import PeerShim

/// The peak memory of downsampling while decoding, in addition to its result.
struct MemoryBenchmark {
  private static let widths = [200, 1024]
  private static let goals = ["jpeg_baseline": 8.0, "avif": 30, "heic": 50]

  let files: [CorpusFile]

  func run() throws {
    for kind in Set(files.map(\.kind)).sorted() {
      guard let largest = files.filter({ $0.kind == kind }).max(by: { $0.pixelCount < $1.pixelCount }) else { continue }
      let growth = try Self.growth(largest.url)
      Metric(
        name: "\(kind)_memory_beyond_result", value: growth, unit: "MB",
        goal: Self.goals[kind].map { .atMost($0) }
      ).report()
      if kind == "jpeg_progressive" { try Self.reportCoefficients(largest, growth: growth) }
    }
  }

  /// Where libjpeg-turbo decodes, it holds the coefficients of the whole image, at any scale. At the smallest width, only a
  /// coefficient of each block is held.
  private static func reportCoefficients(_ file: CorpusFile, growth: Double) throws {
    Metric(
      name: "jpeg_progressive_200px_memory_beyond_result", value: try Self.growth(file.url, width: 200), unit: "MB",
      goal: .atMost(4)
    ).report()
    let byteCount = file.bytes.withUnsafeBytes {
      peer_coefficient_bytes($0.bindMemory(to: UInt8.self).baseAddress, $0.count)
    }
    Metric(
      name: "jpeg_progressive_memory_to_coefficients", value: growth / (Double(byteCount) / Double(1 << 20)),
      unit: "ratio", goal: .atMost(1.15)
    ).report()
  }

  /// Megabytes (2^20 bytes), the maximum over the widths.
  private static func growth(_ url: URL) throws -> Double {
    try widths.map { try growth(url, width: $0) }.max() ?? 0
  }

  private static func growth(_ url: URL, width: Int) throws -> Double {
    let (growth, output) = try MemoryProbe.run(url, width: width)
    return Double(growth - output) / Double(1 << 20)
  }
}

/// Measures the memory growth from decoding one file, in its own process.
enum MemoryProbe {
  static let command = "--memory"

  /// Prints the growth of the peak resident memory and the size of the result, in bytes.
  static func measure(_ url: URL, width: Int) throws {
    guard let file = CorpusFile(url) else { throw PeerError.failed("\(url.path) cannot be decoded") }
    // Warm-up: loads the code and makes the one-time allocations of libraries.
    _ = try StandardCodecs.decoder(for: .jpeg).decode(
      warmUp(), options: DecodingOptions(size: .fit(width: 8, height: .max)))
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try residentPeak()
    let size: TargetSize = width > 0 ? .fit(width: width, height: .max) : .original
    let image = try file.decoder.decode(file.bytes, options: DecodingOptions(size: size))
    print(try residentPeak() - before, image.bitmap.byteCount)
  }

  /// The growth and the size of the result, in bytes, measured in a child process.
  static func run(_ url: URL, width: Int) throws -> (growth: Int, output: Int) {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [command, url.path, "\(width)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 2 else { throw PeerError.failed("\(url.path) was not measured: \(text)") }
    return (numbers[0], numbers[1])
  }

  private static func warmUp() throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: 64, height: 64), isOpaque: true) { _ in }
    return try StandardCodecs.encoder(for: .jpeg).encode(bitmap, options: EncodingOptions())
  }

  private static func residentPeak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
      throw PeerError.failed("/proc/self/status has no VmHWM")
    }
    return kilobytes << 10
  }
}
