import Foundation
import Halcyon

/// How much two bitmaps of the same size differ.
///
/// Pixels are compared as they are shown: over black, and if one of the images has transparent pixels also over white.
struct ImageDifference {
  /// The mean structural similarity (SSIM; Wang and others, 2004) of the luma, from below 0 to 1 for identical images.
  ///
  /// In windows of 8x8 pixels, 4 pixels apart; of images smaller than a window in one window. Of transparent images the
  /// lower of both backgrounds.
  let similarity: Double
  /// The peak signal-to-noise ratio of red, green and blue in decibels; infinite for identical images.
  let peakSignalToNoise: Double
  /// The largest difference of a red, green, blue or alpha sample, from 0 to 255, and where it is first.
  let largest: (difference: Int, column: Int, row: Int)

  /// - Precondition: Both have the same size.
  init(_ first: Bitmap, _ second: Bitmap) {
    precondition(first.size == second.size, "\(first.size) and \(second.size) cannot be compared")
    let backgrounds: [Float] = first.isOpaque && second.isOpaque ? [0] : [0, 255]
    similarity =
      backgrounds.map { Luma(first, background: $0).similarity(to: Luma(second, background: $0)) }.min() ?? 1
    let (squares, largest) = Self.squaresAndLargest(first, second)
    let error = Double(squares) / Double(first.size.pixelCount * 3)
    peakSignalToNoise = error == 0 ? .infinity : 10 * log10(255 * 255 / error)
    self.largest = largest
  }

  private static func squaresAndLargest(
    _ first: Bitmap, _ second: Bitmap
  ) -> (squares: Int, largest: (difference: Int, column: Int, row: Int)) {
    var squares = 0
    var largest = (difference: 0, column: 0, row: 0)
    first.withUnsafeBytes { one in
      second.withUnsafeBytes { two in
        for row in 0..<first.size.height {
          let (start, otherStart) = (row * first.bytesPerRow, row * second.bytesPerRow)
          for index in 0..<first.size.width * 4 {
            let difference = abs(Int(one[start + index]) - Int(two[otherStart + index]))
            if index % 4 != 3 { squares += difference * difference }
            if difference > largest.difference { largest = (difference, index / 4, row) }
          }
        }
      }
    }
    return (squares, largest)
  }
}

extension Bitmap {
  /// A picture of the differences: black where both are equal, each sample's difference times `gain` elsewhere.
  ///
  /// A difference of alpha is shown in all colours.
  func difference(from other: Bitmap, gain: Double) throws -> Bitmap {
    try Bitmap(size: size, isOpaque: true) { result in
      withUnsafeBytes { one in
        other.withUnsafeBytes { two in
          for pixel in 0..<size.pixelCount {
            let (row, column) = pixel.quotientAndRemainder(dividingBy: size.width)
            let (start, otherStart) = (row * bytesPerRow + column * 4, row * other.bytesPerRow + column * 4)
            let alpha = abs(Int(one[start + 3]) - Int(two[otherStart + 3]))
            for channel in 0..<3 {
              let color = abs(Int(one[start + channel]) - Int(two[otherStart + channel]))
              result[pixel * 4 + channel] = UInt8(min(255, Double(max(color, alpha)) * gain))
            }
            result[pixel * 4 + 3] = 255
          }
        }
      }
    }
  }
}

/// The luma of an image over a background, as numbers from 0 to 255.
private struct Luma {
  private static let side = 8
  private let width: Int
  private let height: Int
  private let samples: [Float]

  init(_ bitmap: Bitmap, background: Float) {
    (width, height) = (bitmap.size.width, bitmap.size.height)
    var samples = [Float](repeating: 0, count: bitmap.size.pixelCount)
    bitmap.withUnsafeBytes { bytes in
      for row in 0..<bitmap.size.height {
        for column in 0..<bitmap.size.width {
          let start = row * bitmap.bytesPerRow + column * 4
          // Premultiplied by alpha.
          let luma = 0.299 * Float(bytes[start]) + 0.587 * Float(bytes[start + 1]) + 0.114 * Float(bytes[start + 2])
          samples[row * bitmap.size.width + column] = luma + background * (1 - Float(bytes[start + 3]) / 255)
        }
      }
    }
    self.samples = samples
  }

  func similarity(to other: Luma) -> Double {
    let (across, down) = (min(width, Self.side), min(height, Self.side))
    var (total, count) = (0.0, 0)
    samples.withUnsafeBufferPointer { one in
      other.samples.withUnsafeBufferPointer { two in
        for top in stride(from: 0, through: height - down, by: 4) {
          for left in stride(from: 0, through: width - across, by: 4) {
            total += similarity(one, two, rows: top..<top + down, columns: left..<left + across)
            count += 1
          }
        }
      }
    }
    return total / Double(count)
  }

  private func similarity(
    _ one: UnsafeBufferPointer<Float>, _ two: UnsafeBufferPointer<Float>, rows: Range<Int>, columns: Range<Int>
  ) -> Double {
    var (sum, otherSum, squares, otherSquares, products) = (Float(0), Float(0), Float(0), Float(0), Float(0))
    for row in rows {
      for index in row * width + columns.lowerBound..<row * width + columns.upperBound {
        let (a, b) = (one[index], two[index])
        sum += a
        otherSum += b
        squares += a * a
        otherSquares += b * b
        products += a * b
      }
    }
    let count = Double(rows.count * columns.count)
    let (mean, otherMean) = (Double(sum) / count, Double(otherSum) / count)
    let variance = Double(squares) / count - mean * mean
    let otherVariance = Double(otherSquares) / count - otherMean * otherMean
    let covariance = Double(products) / count - mean * otherMean
    let (c1, c2) = (6.5025, 58.5225)
    return (2 * mean * otherMean + c1) * (2 * covariance + c2)
      / ((mean * mean + otherMean * otherMean + c1) * (variance + otherVariance + c2))
  }
}
