import CHalcyonSystemShim
import HalcyonImaging

/// A box filter by integer factors, which brings an image near the target size before Lanczos filtering.
///
/// Lanczos alone would have to buffer dozens of full rows for a large reduction.
final class BoxShrink: RowSource {
  /// Sums of up to this many bytes fit in 16 bits.
  private static let factorLimit = 256

  let size: PixelSize
  let isOpaque: Bool

  private let rows: any RowSource
  private let across: Int
  private let down: Int
  private let isCancelled: () -> Bool
  private var row: [UInt32]
  private var sums: [UInt16]
  private var nextRow = 0

  /// The largest factor that leaves at least two pixels per output pixel; 1 for no box filter.
  ///
  /// - Parameter reduction: Source pixels per output pixel.
  static func factor(reduction: Double) -> Int { max(1, min(factorLimit, Int(reduction / 2))) }

  /// - Parameters:
  ///   - across: The columns per pixel, 1 to 256.
  ///   - down: The rows per pixel, 1 to 256.
  init(_ rows: any RowSource, across: Int, down: Int, isCancelled: @escaping () -> Bool) {
    self.rows = rows
    self.across = across
    self.down = down
    self.isCancelled = isCancelled
    isOpaque = rows.isOpaque
    size = PixelSize(
      width: (rows.size.width + across - 1) / across, height: (rows.size.height + down - 1) / down)
    row = Array(repeating: 0, count: rows.size.width)
    sums = Array(repeating: 0, count: rows.size.width * 4)
  }

  func readRow(into target: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    let count = min(down, rows.size.height - nextRow)
    sums.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    for _ in 0..<count {
      try rows.checkCancelled(atRow: nextRow, isCancelled)
      try rows.readRow(intoPixels: &row)
      halcyon_add_samples(row, sums.count, &sums)
      nextRow += 1
    }
    average(rowCount: count, into: target)
  }

  func finish() throws(ImageDecodingError) { try rows.finish() }

  private func average(rowCount: Int, into target: UnsafeMutablePointer<UInt8>) {
    let wholeCount = rows.size.width / across
    average(0..<wholeCount, columnCount: across, rowCount: rowCount, into: target)
    if wholeCount < size.width {
      average(
        wholeCount..<size.width, columnCount: rows.size.width - wholeCount * across, rowCount: rowCount, into: target)
    }
  }

  /// Averages pixels that are `columnCount` columns wide.
  private func average(_ pixels: Range<Int>, columnCount: Int, rowCount: Int, into target: UnsafeMutablePointer<UInt8>)
  {
    sums.withUnsafeBufferPointer { sums in
      guard let start = sums.baseAddress else { return }
      halcyon_average_pixels(
        start + pixels.lowerBound * across * 4, pixels.count, columnCount, columnCount * rowCount,
        target + pixels.lowerBound * 4)
    }
  }
}

/// Divides sums of up to 65,536 bytes by their number, exactly and without a division each.
struct Reciprocal {
  /// Added to a sum, it rounds the quotient.
  let half: UInt32

  private let value: UInt64

  init(_ count: Int) {
    half = UInt32(count) / 2
    value = ((1 << 40) + UInt64(count) - 1) / UInt64(count)
  }

  /// Exact, as sums have 24 bits, and counts 16.
  func quotient(_ sum: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: (UInt64(sum) &* value) &>> 40) }
}
