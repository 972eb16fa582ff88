import Foundation
import HalcyonSupport

extension Bitmap {
  /// A part of the bitmap at another size, with the Lanczos filter of three lobes.
  ///
  /// Half floats are filtered as square roots, near what the eye sees: around a bright light, linear light would get black
  /// rings. Slower than the resampler of the codecs, which this module does not have; takes one row of memory.
  func scaled(to geometry: ResizeGeometry, isCancelled: () -> Bool) throws -> Bitmap {
    try Bitmap(
      size: geometry.outputSize, isOpaque: isOpaque, colorSpace: colorSpace, dynamicRange: dynamicRange
    ) { result in
      try withUnsafeBytes { source in
        switch dynamicRange {
        case .standard:
          let (source, result) = (source.bindMemory(to: Pixel.self), result.bindMemory(to: Pixel.self))
          try scale(to: geometry, isCancelled, from: { SIMD4<Float>(source[$0]) }) { index, pixel in
            let alpha = UInt8(max(0, min(255, pixel.w)).rounded())
            result[index] = Pixel(color: pixel, alpha: alpha)
          }
        case .high:
          let source = source.bindMemory(to: SIMD4<UInt16>.self)
          let result = result.bindMemory(to: SIMD4<UInt16>.self)
          try scale(to: geometry, isCancelled, from: { HalfFloat.roots(source[$0]) }) {
            result[$0] = HalfFloat.pixel($1)
          }
        }
      }
    }
  }

  @inline(__always)
  private func scale(
    to geometry: ResizeGeometry, _ isCancelled: () -> Bool, from pixel: (_ index: Int) -> SIMD4<Float>,
    set: (_ index: Int, SIMD4<Float>) -> Void
  ) throws {
    let (window, target) = (geometry.window, geometry.outputSize)
    let across = LanczosTaps(from: window.x, length: window.width, of: size.width, to: target.width)
    let columns = (0..<target.width).map { across.taps(at: $0) }
    let rows = LanczosTaps(from: window.y, length: window.height, of: size.height, to: target.height)
    var sums = [SIMD4<Float>](repeating: .zero, count: size.width)
    for row in 0..<target.height {
      if isCancelled() { throw ImageDecodingError.cancelled }
      for column in sums.indices { sums[column] = .zero }
      for (index, weight) in rows.taps(at: row) {
        for column in sums.indices { sums[column] += pixel(index * size.width + column) * weight }
      }
      for column in 0..<target.width {
        var sum = SIMD4<Float>.zero
        for (index, weight) in columns[column] { sum += sums[index] * weight }
        set(row * target.width + column, sum)
      }
    }
  }
}

extension HalfFloat {
  /// The square roots of a pixel's colours, premultiplied, and its alpha.
  @inline(__always)
  fileprivate static func roots(_ pixel: SIMD4<UInt16>) -> SIMD4<Float> {
    let alpha = number(pixel.w)
    let color = SIMD4(number(pixel.x), number(pixel.y), number(pixel.z), 0)
    let scaled = (color * alpha).replacing(with: -color * alpha, where: color .< 0)
    var roots = scaled.squareRoot()
    roots = roots.replacing(with: -roots, where: color .< 0)
    roots.w = alpha
    return roots
  }

  /// The pixel of `roots`.
  @inline(__always)
  fileprivate static func pixel(_ roots: SIMD4<Float>) -> SIMD4<UInt16> {
    let alpha = min(max(roots.w, 0), 1)
    let squares = roots * roots / max(alpha, .leastNormalMagnitude)
    let color = squares.replacing(with: -squares, where: roots .< 0)
    return alpha == 0 ? .zero : SIMD4(bits(color.x), bits(color.y), bits(color.z), bits(alpha))
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
