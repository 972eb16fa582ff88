import HalcyonImaging

/// Takes the rows of an image apart into planes.
final class RowPlaneSource: PlaneSource {
  let format: PlaneFormat
  let rowsPerRead = 1

  private let rows: any RowSource
  private let isCancelled: () -> Bool
  private var row: [UInt32]

  init(_ rows: any RowSource, coding: SampleCoding = SampleCoding(), isCancelled: @escaping () -> Bool) {
    self.rows = rows
    self.isCancelled = isCancelled
    var format = PlaneFormat(channels: rows.isOpaque ? .rgb : .rgbaPremultiplied, size: rows.size)
    format.coding = coding
    self.format = format
    row = Array(repeating: 0, count: rows.size.width)
  }

  func readRows(at index: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    try rows.checkCancelled(atRow: index, isCancelled)
    var samples: [UnsafeMutablePointer<UInt8>] = []
    for plane in 0..<planes.planeCount { samples.append(planes.row(index, ofPlane: plane)) }
    try rows.readRow(intoPixels: &row)
    RowPacking.split(row, count: row.count, into: samples)
    return 1
  }

  func finish() throws(ImageDecodingError) { try rows.finish() }
}

extension RowSource {
  /// Writes the next row, one number a pixel.
  func readRow(intoPixels pixels: inout [UInt32]) throws(ImageDecodingError) {
    try pixels.withUnsafeMutableBufferPointer { (pixels) throws(ImageDecodingError) in
      guard let start = pixels.baseAddress else { return }
      try readRow(into: UnsafeMutableRawPointer(start).assumingMemoryBound(to: UInt8.self))
    }
  }
}
