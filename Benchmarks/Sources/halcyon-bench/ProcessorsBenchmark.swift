import BenchMetric
import Halcyon

/// Processors on an image of one megapixel, on one thread.
enum ProcessorsBenchmark {
  static func run() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 1024, height: 1024), isOpaque: true) { bytes in
      for index in 0..<bytes.count { bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 37 >> 3) }
    }
    try report("blur_radius8_1mp", .blur(radius: 8), bitmap)
    try report("blur_radius100_1mp", .blur(radius: 100), bitmap)
    try report("rounded_corners_1mp", .roundedCorners(radius: 40), bitmap)
    try report("saturation_1mp", .saturation(1.2), bitmap)
    try report("brightness_1mp", .brightness(1.2), bitmap)
    try report("rotate_33_degrees_1mp", .rotate(degrees: 33), bitmap)
  }

  private static func report(_ name: String, _ processor: some ImageProcessor, _ bitmap: Bitmap) throws {
    _ = try processor.process(bitmap)
    let times = try (0..<9).map { _ in
      try ContinuousClock().measure { _ = try processor.process(bitmap) } / .milliseconds(1)
    }
    Metric(name: name, value: median(times), unit: "ms").report()
  }
}
