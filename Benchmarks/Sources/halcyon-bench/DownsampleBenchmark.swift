import BenchMetric
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs

/// Downsampling a photograph of 12 megapixels while decoding, compared with decoding it fully.
enum DownsampleBenchmark {
  private static let roundCount = rounds(7)

  static func run() throws {
    let photo = try StandardCodecs.encoder(for: .jpeg).encode(
      photograph(PixelSize(width: 4000, height: 3000)), options: EncodingOptions())
    let decoder = try StandardCodecs.decoder(for: .jpeg)
    for width in [200, 400, 1024] {
      var (small, full): ([Double], [Double]) = ([], [])
      for _ in 0..<roundCount {
        full.append(try time { try decoder.decode(photo, options: DecodingOptions()) })
        let size = TargetSize.fit(width: width, height: .max)
        small.append(try time { try decoder.decode(photo, options: DecodingOptions(size: size)) })
      }
      Metric(name: "jpeg_12mp_to_\(width)px", value: median(small), unit: "ms").report()
      Metric(name: "jpeg_12mp_to_\(width)px_to_full_decode", value: median(small) / median(full), unit: "ratio")
        .report()
    }
  }

  private static func time(_ work: () throws -> DecodedImage) rethrows -> Double {
    let start = ContinuousClock.now
    let image = try work()
    precondition(image.bitmap.byteCount > 0)
    return start.duration(to: .now) / .milliseconds(1)
  }

  /// Smooth shapes with noise, so that the file has as many coefficients as a photograph.
  private static func photograph(_ size: PixelSize) throws -> Bitmap {
    var noise: UInt32 = 1
    return try Bitmap(size: size, isOpaque: true) { pixels in
      for row in 0..<size.height {
        for column in 0..<size.width {
          noise = noise &* 1_664_525 &+ 1_013_904_223
          let grain = Int(noise >> 27)
          let shade = (column / 16 + row / 12) & 127
          let start = (row * size.width + column) * 4
          pixels[start] = UInt8(shade + grain)
          pixels[start + 1] = UInt8((shade + column / 64) & 127 + grain)
          pixels[start + 2] = UInt8((row / 32) & 127 + grain)
          pixels[start + 3] = 255
        }
      }
    }
  }
}
