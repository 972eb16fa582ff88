import Foundation
import HalcyonSupport

extension Bitmap {
  /// A part of the bitmap at another size, with the Lanczos filter of three lobes.
  ///
  /// Slower than the resampler of the codecs, which this module does not have; takes one row of memory.
  func scaled(to geometry: ResizeGeometry, isCancelled: () -> Bool) throws -> Bitmap {
    let (window, target) = (geometry.window, geometry.outputSize)
    let across = LanczosTaps(from: window.x, length: window.width, of: size.width, to: target.width)
    let columns = (0..<target.width).map { across.taps(at: $0) }
    let rows = LanczosTaps(from: window.y, length: window.height, of: size.height, to: target.height)
    return try redrawn(size: target, isOpaque: isOpaque) { source, result in
      var sums = [SIMD4<Float>](repeating: .zero, count: size.width)
      for row in 0..<target.height {
        if isCancelled() { throw ImageDecodingError.cancelled }
        for column in sums.indices { sums[column] = .zero }
        for (index, weight) in rows.taps(at: row) {
          for column in sums.indices { sums[column] += SIMD4<Float>(source[index * size.width + column]) * weight }
        }
        for column in 0..<target.width {
          var pixel = SIMD4<Float>.zero
          for (index, weight) in columns[column] { pixel += sums[index] * weight }
          let alpha = UInt8(max(0, min(255, pixel.w)).rounded())
          result[row * target.width + column] = Pixel(color: pixel, alpha: alpha)
        }
      }
    }
  }
}

/// The samples that one axis of a scaled image is made from.
private struct LanczosTaps {
  private let start: Double
  private let step: Double
  private let count: Int

  /// - Parameters:
  ///   - start: The beginning of the part that is drawn, of `length` samples.
  ///   - count: The number of samples.
  ///   - target: The number of samples of the result.
  init(from start: Double, length: Double, of count: Int, to target: Int) {
    self.start = start
    self.count = count
    step = length / Double(target)
  }

  /// The samples of one sample of the result, and their weights, which add up to 1.
  func taps(at index: Int) -> [(index: Int, weight: Float)] {
    let scale = max(1, step)
    let radius = 3 * scale
    let center = start + (Double(index) + 0.5) * step
    let first = min(max(0, Int(center - radius)), count - 1)
    let last = max(first, min(count - 1, Int(center + radius)))
    let weights = (first...last).map { Self.lanczos((Double($0) + 0.5 - center) / scale) }
    let sum = weights.reduce(0, +)
    guard sum > 0 else { return [(first, 1)] }
    return zip(first...last, weights).map { ($0, Float($1 / sum)) }
  }
}

extension LanczosTaps {
  private static func lanczos(_ x: Double) -> Double {
    let distance = abs(x)
    guard distance > 1e-9 else { return 1 }
    guard distance < 3 else { return 0 }
    let angle = Double.pi * distance
    return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
  }
}

extension Bitmap {
  /// The bitmap with each side divided by a whole number, as the means of its pixels; pixels of a rest are left out.
  func shrunk(by factor: (x: Int, y: Int)) throws -> Bitmap {
    guard factor.x > 1 || factor.y > 1 else { return self }
    let target = PixelSize(width: size.width / factor.x, height: size.height / factor.y)
    let count = Float(factor.x * factor.y)
    return try redrawn(size: target, isOpaque: isOpaque) { source, result in
      var sums = [SIMD4<UInt32>](repeating: .zero, count: target.width)
      for row in 0..<target.height {
        try CancellationFlag.checkCurrent()
        for column in sums.indices { sums[column] = .zero }
        for line in row * factor.y..<(row + 1) * factor.y {
          var index = line * size.width
          for column in sums.indices {
            for _ in 0..<factor.x {
              sums[column] &+= SIMD4<UInt32>(truncatingIfNeeded: source[index])
              index += 1
            }
          }
        }
        for column in sums.indices {
          result[row * target.width + column] = Pixel(rounding: SIMD4<Float>(sums[column]) / count)
        }
      }
    }
  }
}
