import HalcyonImaging

/// Reads the rows of an image as premultiplied RGBA, from top to bottom, once.
///
/// The resampler takes them while the file is decoded, so memory is the result and a few rows.
protocol RowSource: AnyObject {
  /// The width and the number of the rows.
  var size: PixelSize { get }
  var isOpaque: Bool { get }
  /// Whether the pixels are bytes or half floats. Default: bytes.
  var dynamicRange: DynamicRange { get }

  /// Limits the rows to an area: pixels outside of it may get any values. Called before the first row. Default: reads all.
  func limit(to area: PixelArea) throws(ImageDecodingError)

  /// Skips rows. Default: reads them.
  func skipRows(_ count: Int) throws(ImageDecodingError)

  /// Writes the next row, premultiplied bytes or half floats.
  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError)

  /// Checks that the file is complete. Called after the last row.
  func finish() throws(ImageDecodingError)

  /// Called instead of ``finish()`` if no other rows are needed. Default: does nothing.
  func stop()
}

extension RowSource {
  var dynamicRange: DynamicRange { .standard }

  func limit(to area: PixelArea) {}

  func stop() {}

  func skipRows(_ count: Int) throws(ImageDecodingError) {
    var row = [UInt64](repeating: 0, count: size.width)
    for _ in 0..<count { try readRow(intoPixels: &row) }
  }

  /// The number of rows between two checks for cancellation.
  private static var rowsBetweenChecks: Int { 16 }

  /// The whole image, without resampling.
  func bitmap(isCancelled: () -> Bool) throws -> Bitmap {
    try Bitmap(size: size, isOpaque: isOpaque, dynamicRange: dynamicRange) { output in
      guard var row = output.bindMemory(to: UInt8.self).baseAddress else { return }
      let bytesPerRow = size.width * dynamicRange.bytesPerPixel
      for index in 0..<size.height {
        try checkCancelled(atRow: index, isCancelled)
        try readRow(into: row)
        row += bytesPerRow
      }
      try finish()
    }
  }

  /// Writes the next row, one `UInt32` per pixel, or one `UInt64` of half floats.
  func readRow<Pixel>(intoPixels pixels: inout [Pixel]) throws(ImageDecodingError) {
    try pixels.withUnsafeMutableBufferPointer { (pixels) throws(ImageDecodingError) in
      guard let start = pixels.baseAddress else { return }
      try readRow(into: UnsafeMutableRawPointer(start).assumingMemoryBound(to: UInt8.self))
    }
  }

  func checkCancelled(atRow row: Int, _ isCancelled: () -> Bool) throws(ImageDecodingError) {
    if row % Self.rowsBetweenChecks == 0, isCancelled() { throw .cancelled }
  }
}

/// The rows of a bitmap.
final class BitmapRowSource: RowSource {
  var size: PixelSize { bitmap.size }
  var isOpaque: Bool { bitmap.isOpaque }
  var dynamicRange: DynamicRange { bitmap.dynamicRange }

  private let bitmap: Bitmap
  private var nextRow = 0

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
  }

  func skipRows(_ count: Int) { nextRow += count }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    bitmap.withUnsafeBytes { bytes in
      let range = nextRow * bitmap.bytesPerRow..<(nextRow + 1) * bitmap.bytesPerRow
      UnsafeMutableRawBufferPointer(start: row, count: range.count).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
    nextRow += 1
  }

  func finish() {}
}

/// Splits the rows of an image into planes.
final class RowPlaneSource: PlaneSource {
  let format: PlaneFormat
  let rowsPerRead = 1

  private let rows: any RowSource
  private let isCancelled: () -> Bool
  private var row: [UInt32]

  init(_ rows: any RowSource, isCancelled: @escaping () -> Bool) {
    self.rows = rows
    self.isCancelled = isCancelled
    format = PlaneFormat(channels: rows.isOpaque ? .rgb : .rgbaPremultiplied, size: rows.size)
    row = Array(repeating: 0, count: rows.size.width)
  }

  func readRows(at index: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    try rows.checkCancelled(atRow: index, isCancelled)
    var samples: [UnsafeMutablePointer<UInt8>] = []
    for plane in 0..<planes.planeCount { samples.append(planes.row(index, ofPlane: plane)) }
    try rows.readRow(intoPixels: &row)
    Self.split(row, count: row.count, into: samples)
    return 1
  }

  func finish() throws(ImageDecodingError) { try rows.finish() }

  /// Splits a row of RGBA into planes of red, green, blue and, with a fourth plane, alpha.
  private static func split(_ pixels: UnsafePointer<UInt32>, count: Int, into planes: [UnsafeMutablePointer<UInt8>]) {
    for (index, plane) in planes.enumerated() {
      let samples = UnsafeRawPointer(pixels).assumingMemoryBound(to: UInt8.self) + index
      var column = 0
      // Not over a range, which is slow without optimisation.
      while column < count {
        plane[column] = samples[column &* 4]
        column &+= 1
      }
    }
  }
}
