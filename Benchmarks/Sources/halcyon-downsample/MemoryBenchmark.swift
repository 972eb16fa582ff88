import Foundation
import Halcyon

/// The memory that decoding at a size takes beyond its result.
struct MemoryBenchmark {
  private static let widths = [200, 1024]

  let files: [CorpusFile]

  func run() throws {
    for kind in Set(files.map(\.kind)).sorted() {
      guard let largest = files.filter({ $0.kind == kind }).max(by: { $0.pixelCount < $1.pixelCount }) else { continue }
      let growth = try Self.growth(largest.url)
      Metric(
        name: "\(kind)_memory_beyond_result", value: growth, unit: "MB",
        goal: kind == "jpeg_baseline" ? .atMost(8) : nil
      ).report()
    }
    let growth = try Self.growth(Self.giant())
    Metric(name: "jpeg_baseline_100mp_memory_beyond_result", value: growth, unit: "MB", goal: .atMost(8)).report()
  }

  /// Megabytes (2^20 bytes), at the worse width.
  private static func growth(_ url: URL) throws -> Double {
    try widths.map { width in
      let (growth, output) = try MemoryProbe.run(url, width: width)
      return Double(growth - output) / Double(1 << 20)
    }.max() ?? 0
  }

  /// A JPEG file of nearly 100 megapixels.
  private static func giant() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "halcyon-giant.jpg")
    guard !FileManager.default.fileExists(atPath: url.path) else { return url }
    let size = PixelSize(width: 11_500, height: 8_600)
    let bitmap = try Bitmap(size: size, isOpaque: true) { pixels in
      for index in pixels.indices { pixels[index] = index & 3 == 3 ? 255 : UInt8(truncatingIfNeeded: index >> 7) }
    }
    try JPEGEncoder().encode(bitmap, options: EncodingOptions()).write(to: url, options: .atomic)
    return url
  }
}
