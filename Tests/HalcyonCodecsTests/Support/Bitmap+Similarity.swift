import HalcyonImaging

extension Bitmap {
  /// The structural similarity of the luma to another bitmap of the same size, SSIM (Wang and others, 2004), in windows
  /// of 8x8 pixels: 1 for identical images.
  func similarity(to other: Bitmap) -> Double {
    let (left, right) = (luma, other.luma)
    let side = 8
    var (total, count) = (0.0, 0.0)
    for top in stride(from: 0, through: max(0, size.height - side), by: side / 2) {
      for start in stride(from: 0, through: max(0, size.width - side), by: side / 2) {
        var sums = WindowSums()
        for row in top..<min(top + side, size.height) {
          for column in start..<min(start + side, size.width) {
            sums.add(left[row * size.width + column], right[row * size.width + column])
          }
        }
        total += sums.similarity
        count += 1
      }
    }
    return total / count
  }

  private var luma: [Double] {
    withUnsafeBytes { bytes in
      (0..<size.pixelCount).map { pixel -> Double in
        let (red, green) = (Double(bytes[pixel * 4]), Double(bytes[pixel * 4 + 1]))
        let blue = Double(bytes[pixel * 4 + 2])
        return 0.299 * red + 0.587 * green + 0.114 * blue
      }
    }
  }
}

/// Sums over the pixels of a window of two images.
private struct WindowSums {
  private var count = 0.0
  private var sums = SIMD2<Double>()
  private var squares = SIMD2<Double>()
  private var products = 0.0

  mutating func add(_ left: Double, _ right: Double) {
    count += 1
    sums += SIMD2(left, right)
    squares += SIMD2(left * left, right * right)
    products += left * right
  }

  var similarity: Double {
    let means = sums / count
    let variances = squares / count - means * means
    let covariance = products / count - means.x * means.y
    let (first, second) = (6.5025, 58.5225)
    let product = means.x * means.y
    let brightness = (2 * product + first) / (means.x * means.x + means.y * means.y + first)
    return brightness * (2 * covariance + second) / (variances.x + variances.y + second)
  }
}
