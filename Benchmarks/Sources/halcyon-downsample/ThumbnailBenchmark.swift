import BenchMetric
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs

/// Downsampling an image of 1000x1000 pixels to 100x100, 100 times, compared with decoding it fully.
enum ThumbnailBenchmark {
  private static let count = rounds(100)

  static func run() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "halcyon-thumbnail-\(UUID().uuidString).jpg")
    defer { try? FileManager.default.removeItem(at: url) }
    try StandardCodecs.encoder(for: .jpeg).encode(image(), options: EncodingOptions()).write(to: url)
    let bytes = try Data(contentsOf: url)
    let decoder = try StandardCodecs.decoder(for: .jpeg)
    let small = DecodingOptions(size: .fit(width: 100, height: 100))
    var (smallTimes, fullTimes): ([Double], [Double]) = ([], [])
    for _ in 0..<count {
      smallTimes.append(try Clock.milliseconds { _ = try decoder.decode(bytes, options: small) })
      fullTimes.append(try Clock.milliseconds { _ = try decoder.decode(bytes, options: DecodingOptions()) })
    }
    Metric(
      name: "founding_100x_time_to_full", value: smallTimes.reduce(0, +) / fullTimes.reduce(0, +), unit: "ratio",
      goal: .atMost(1.05)
    ).report()
    let memory = try Double(MemoryProbe.run(url, width: 100).growth) / Double(MemoryProbe.run(url, width: 0).growth)
    Metric(name: "founding_memory_to_full", value: memory, unit: "ratio", goal: .atMost(0.125)).report()
  }

  private static func image() throws -> Bitmap {
    let size = PixelSize(width: 1000, height: 1000)
    return try Bitmap(size: size, isOpaque: true) { pixels in
      for index in pixels.indices {
        let (column, row) = (index / 4 % size.width, index / 4 / size.width)
        pixels[index] = index & 3 == 3 ? 255 : UInt8(truncatingIfNeeded: (column * row >> 6) ^ (column >> index & 3))
      }
    }
  }
}
