import Foundation

/// The weights of a Lanczos filter along one axis, in fixed point.
///
/// Each output sample is the weighted sum of ``tapCount`` consecutive source samples. Beyond the edges of the source
/// its samples are mirrored.
package struct LanczosFilter {
  /// Zero crossings on each side of the filter.
  private static let lobes = 3.0
  /// With more taps than this, all weights are below one half.
  private static let wideTapCount = 14

  /// The number of source samples per output sample.
  package let tapCount: Int
  /// The first source sample of each output sample; never decreases.
  package let starts: [Int]
  /// ``tapCount`` weights for each output sample, which add up to one: `1 << weightBits`.
  package let weights: [Int16]
  /// The fraction bits of the weights.
  package let weightBits: Int
  /// Output samples per source sample.
  package let scale: Double

  /// - Parameters:
  ///   - sourceLength: The number of source samples, at least 1.
  ///   - window: The part of the source that becomes the output, in possibly fractional samples.
  ///   - outputLength: The number of output samples, at least 1.
  package init(sourceLength: Int, window: (start: Double, length: Double), outputLength: Int) {
    let step = window.length / Double(outputLength)
    // Below a step of 1 the image is enlarged, and the filter has the width of source samples.
    let stretch = max(1, step)
    let reach = Int((2 * Self.lobes * stretch).rounded(.up))
    let tapCount = min(reach, sourceLength)
    let weightBits = reach > Self.wideTapCount ? 15 : 14
    var starts: [Int] = []
    var weights: [Int16] = []
    starts.reserveCapacity(outputLength)
    weights.reserveCapacity(outputLength * tapCount)
    var sample = [Double](repeating: 0, count: tapCount)
    for index in 0..<outputLength {
      let center = window.start + (Double(index) + 0.5) * step
      let first = Int((center - Double(reach) / 2 + 0.5).rounded(.down))
      let start = max(0, min(first, sourceLength - tapCount))
      for tap in 0..<tapCount { sample[tap] = 0 }
      for source in first..<first + reach {
        let weight = Self.lanczos((Double(source) + 0.5 - center) / stretch)
        let tap = Self.mirrored(source, count: sourceLength) - start
        sample[max(0, min(tap, tapCount - 1))] += weight
      }
      starts.append(start)
      Self.append(sample, to: &weights, bits: weightBits)
    }
    self.tapCount = tapCount
    self.starts = starts
    self.weights = weights
    self.weightBits = weightBits
    scale = 1 / step
  }

  /// The weight of a source sample in an output sample.
  func weight(_ tap: Int, at index: Int) -> Float {
    Float(weights[index * tapCount + tap]) / Float(1 << weightBits)
  }

  private static func lanczos(_ distance: Double) -> Double {
    if distance == 0 { return 1 }
    guard abs(distance) < lobes else { return 0 }
    let angle = Double.pi * distance
    return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
  }

  /// The position of a sample beyond an edge, mirrored at that edge.
  private static func mirrored(_ index: Int, count: Int) -> Int {
    if index < 0 { return min(-1 - index, count - 1) }
    if index >= count { return max(2 * count - 1 - index, 0) }
    return index
  }

  /// Appends weights that add up to exactly one, so that a plain area keeps its colour.
  private static func append(_ sample: [Double], to weights: inout [Int16], bits: Int) {
    let one = Double(1 << bits)
    let sum = sample.reduce(0, +)
    var rest = 1 << bits
    var largest = 0
    let first = weights.count
    for (tap, value) in sample.enumerated() {
      let weight = max(-32_768, min(32_767, Int((value / sum * one).rounded())))
      rest -= weight
      if value > sample[largest] { largest = tap }
      weights.append(Int16(weight))
    }
    weights[first + largest] = Int16(clamping: Int(weights[first + largest]) + rest)
  }
}
