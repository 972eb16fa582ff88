import Foundation

extension Picture {
  /// The picture at another size by Lanczos with three lobes, in floating point: what others are compared with.
  func lanczos(width target: Int, height targetHeight: Int) -> Picture {
    let wide = resampledRows(target)
    return wide.transposed.resampledRows(targetHeight).transposed
  }

  private var transposed: Picture {
    var result = [Float](repeating: 0, count: samples.count)
    for row in 0..<height {
      for column in 0..<width { result[column * height + row] = samples[row * width + column] }
    }
    return Picture(width: height, height: width, samples: result)
  }

  private func resampledRows(_ target: Int) -> Picture {
    let windows = (0..<target).map { Self.window($0, of: target, source: width) }
    var result = [Float](repeating: 0, count: target * height)
    samples.withUnsafeBufferPointer { samples in
      for row in 0..<height {
        for (column, window) in windows.enumerated() {
          var sum: Float = 0
          for (index, weight) in window.weights.enumerated() {
            sum += weight * samples[row * width + window.start + index]
          }
          result[row * target + column] = sum
        }
      }
    }
    return Picture(width: target, height: height, samples: result)
  }

  private static func window(_ index: Int, of target: Int, source: Int) -> (start: Int, weights: [Float]) {
    let scale = max(1, Double(source) / Double(target))
    let center = (Double(index) + 0.5) * Double(source) / Double(target) - 0.5
    let range =
      max(0, Int((center - 3 * scale).rounded(.up)))...min(source - 1, Int((center + 3 * scale).rounded(.down)))
    let weights = range.map { lanczos((Double($0) - center) / scale) }
    let total = weights.reduce(0, +)
    return (range.lowerBound, weights.map { Float($0 / total) })
  }

  private static func lanczos(_ x: Double) -> Double {
    if x == 0 { return 1 }
    guard abs(x) < 3 else { return 0 }
    return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
  }
}
