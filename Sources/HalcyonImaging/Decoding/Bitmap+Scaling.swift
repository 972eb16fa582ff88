extension Bitmap {
  /// A part of the bitmap at another size, with a triangle filter.
  ///
  /// Slower than the resampler of the codecs, which this module does not have; takes one row of memory.
  func scaled(to geometry: ResizeGeometry, isCancelled: () -> Bool) throws -> Bitmap {
    let (window, target) = (geometry.window, geometry.outputSize)
    let across = TriangleFilter(from: window.x, length: window.width, of: size.width, to: target.width)
    let columns = (0..<target.width).map { across.taps(at: $0) }
    let rows = TriangleFilter(from: window.y, length: window.height, of: size.height, to: target.height)
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
          let rounded = pixel.rounded(.toNearestOrAwayFromZero)
          result[row * target.width + column] = Pixel(
            rounded.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255)))
        }
      }
    }
  }
}

/// The samples that one axis of a scaled image is made from.
private struct TriangleFilter {
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
    let radius = max(1, step)
    let center = start + (Double(index) + 0.5) * step
    let first = min(max(0, Int(center - radius)), count - 1)
    let last = max(first, min(count - 1, Int(center + radius)))
    let weights = (first...last).map { index in
      let distance = abs(Double(index) + 0.5 - center)
      return max(0, 1 - distance / radius)
    }
    let sum = weights.reduce(0, +)
    guard sum > 0 else { return [(first, 1)] }
    return zip(first...last, weights).map { ($0, Float($1 / sum)) }
  }
}
