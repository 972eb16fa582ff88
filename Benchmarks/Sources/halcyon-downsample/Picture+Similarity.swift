extension Picture {
  private static let side = 8

  /// Structural similarity (Wang and others, 2004) in windows of 8x8 pixels, 1 for the same picture.
  func similarity(to other: Picture) -> Double? {
    guard width == other.width, height == other.height, min(width, height) >= Self.side else { return nil }
    var (total, count) = (0.0, 0)
    for top in stride(from: 0, through: height - Self.side, by: 4) {
      for left in stride(from: 0, through: width - Self.side, by: 4) {
        total += similarity(to: other, left: left, top: top)
        count += 1
      }
    }
    return total / Double(count)
  }

  private func similarity(to other: Picture, left: Int, top: Int) -> Double {
    var (sum, otherSum, squares, otherSquares, products) = (Float(0), Float(0), Float(0), Float(0), Float(0))
    for row in top..<top + Self.side {
      for index in row * width + left..<row * width + left + Self.side {
        let (a, b) = (samples[index], other.samples[index])
        sum += a
        otherSum += b
        squares += a * a
        otherSquares += b * b
        products += a * b
      }
    }
    let count = Double(Self.side * Self.side)
    let (mean, otherMean) = (Double(sum) / count, Double(otherSum) / count)
    let variance = Double(squares) / count - mean * mean
    let otherVariance = Double(otherSquares) / count - otherMean * otherMean
    let covariance = Double(products) / count - mean * otherMean
    let (c1, c2) = (6.5025, 58.5225)
    return (2 * mean * otherMean + c1) * (2 * covariance + c2)
      / ((mean * mean + otherMean * otherMean + c1) * (variance + otherVariance + c2))
  }
}
