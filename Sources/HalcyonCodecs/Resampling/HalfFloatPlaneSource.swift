#if !IMAGEIO
import HalcyonImaging

/// The rows of an image of half floats as planes of PQ, which are mapped back after resampling, as in
/// ``Bitmap/scaled(to:isCancelled:)``.
final class HalfFloatPlaneSource: PlaneSource {
  let format: PlaneFormat
  let rowsPerRead = 1

  private let rows: any RowSource
  private let isCancelled: () -> Bool
  private var row: [UInt64]
  private var samples: [UInt16]
  private let channelCount: Int

  init(_ rows: any RowSource, isCancelled: @escaping () -> Bool) {
    self.rows = rows
    self.isCancelled = isCancelled
    channelCount = rows.isOpaque ? 3 : 4
    var format = PlaneFormat(
      channels: .rgb, size: rows.size, rowByteCounts: Array(repeating: rows.size.width * 2, count: channelCount))
    let range = HighDynamicRange.keptPQ
    (format.coding.highDynamicRange, format.coding.depth) = (range, range.sampleDepth)
    format.coding.alpha = rows.isOpaque ? .none : .straight
    self.format = format
    row = Array(repeating: 0, count: rows.size.width)
    samples = Array(repeating: 0, count: rows.size.width * channelCount)
  }

  func readRows(at index: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    try rows.checkCancelled(atRow: index, isCancelled)
    try rows.readRow(intoPixels: &row)
    samples.withUnsafeMutableBufferPointer { samples in
      guard let start = samples.baseAddress else { return }
      PerceptualQuantizer.convert(row, count: row.count, into: start, channelCount: channelCount)
    }
    for channel in 0..<channelCount {
      let plane = UnsafeMutableRawPointer(planes.row(index, ofPlane: channel)).assumingMemoryBound(to: UInt16.self)
      for column in 0..<row.count { plane[column] = samples[column &* channelCount &+ channel] }
    }
    return 1
  }

  func finish() throws(ImageDecodingError) { try rows.finish() }
}
#endif
