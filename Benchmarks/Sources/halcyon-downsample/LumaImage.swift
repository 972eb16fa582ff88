import Foundation
import Halcyon
import PeerShim

/// The luma of an image, as numbers from 0 to 255.
struct LumaImage {
  var width: Int
  var height: Int
  var samples: [Float]

  init(_ bitmap: Bitmap) {
    self.init(width: bitmap.size.width, height: bitmap.size.height, channels: 4) { body in
      bitmap.withUnsafeBytes { body($0) }
    }
  }

  /// Premultiplies by alpha, since libvips' results are not premultiplied.
  init(_ peer: peer_image) {
    let count = Int(peer.width) * Int(peer.height) * Int(peer.channels)
    self.init(width: Int(peer.width), height: Int(peer.height), channels: Int(peer.channels), isStraight: true) {
      body in
      body(UnsafeRawBufferPointer(start: peer.pixels, count: count))
    }
  }

  init(width: Int, height: Int, samples: [Float]) {
    self.width = width
    self.height = height
    self.samples = samples
  }

  private init(
    width: Int, height: Int, channels: Int, isStraight: Bool = false,
    _ withBytes: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) {
    var samples = [Float](repeating: 0, count: width * height)
    withBytes { bytes in
      for pixel in 0..<width * height {
        let start = pixel * channels
        var luma = Float(bytes[start])
        if channels >= 3 {
          luma = 0.299 * luma + 0.587 * Float(bytes[start + 1]) + 0.114 * Float(bytes[start + 2])
        }
        if isStraight, channels % 2 == 0 { luma *= Float(bytes[start + channels - 1]) / 255 }
        samples[pixel] = luma
      }
    }
    self.init(width: width, height: height, samples: samples)
  }
}

extension LumaImage {
  /// The image resampled by a Lanczos filter with three lobes in floating point: the reference for quality.
  func lanczos(width target: Int, height targetHeight: Int) -> LumaImage {
    let wide = resampledRows(target)
    return wide.transposed.resampledRows(targetHeight).transposed
  }

  private var transposed: LumaImage {
    var result = [Float](repeating: 0, count: samples.count)
    for row in 0..<height {
      for column in 0..<width { result[column * height + row] = samples[row * width + column] }
    }
    return LumaImage(width: height, height: width, samples: result)
  }

  private func resampledRows(_ target: Int) -> LumaImage {
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
    return LumaImage(width: target, height: height, samples: result)
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

extension LumaImage {
  private static let side = 8

  /// The structural similarity, SSIM (Wang and others, 2004), in windows of 8x8 pixels: 1 for identical images.
  ///
  /// `nil` for images of different sizes, or smaller than a window.
  func similarity(to other: LumaImage) -> Double? {
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

  private func similarity(to other: LumaImage, left: Int, top: Int) -> Double {
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
