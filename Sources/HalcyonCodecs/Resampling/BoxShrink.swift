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
      addRow()
      nextRow += 1
    }
    average(rowCount: count, into: target)
  }

  func finish() throws(ImageDecodingError) { try rows.finish() }

  private func addRow() {
    row.withUnsafeBytes { bytes in
      sums.withUnsafeMutableBufferPointer { sums in
        for index in 0..<sums.count { sums[index] &+= UInt16(bytes[index]) }
      }
    }
  }

  private func average(rowCount: Int, into target: UnsafeMutablePointer<UInt8>) {
    sums.withUnsafeBufferPointer { sums in
      for column in 0..<size.width {
        let columns = column * across..<min((column + 1) * across, rows.size.width)
        let pixelCount = UInt32(columns.count * rowCount)
        var total = SIMD4<UInt32>(repeating: pixelCount / 2)
        for source in columns {
          let start = source * 4
          total &+= SIMD4(
            UInt32(sums[start]), UInt32(sums[start + 1]), UInt32(sums[start + 2]), UInt32(sums[start + 3]))
        }
        for channel in 0..<4 { target[column * 4 + channel] = UInt8(truncatingIfNeeded: total[channel] / pixelCount) }
      }
    }
  }
}
