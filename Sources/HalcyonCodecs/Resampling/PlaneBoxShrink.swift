import CHalcyonSystemShim
import HalcyonImaging

/// A box filter by an integer factor over planes of 8-bit samples, which brings an image near the target size before
/// Lanczos filtering.
///
/// Averaging is several times faster than Lanczos filtering, which uses each sample in six or more sums.
final class PlaneBoxShrink: PlaneSource {
  let format: PlaneFormat
  var rowsPerRead: Int { source.rowsPerRead }

  private let source: any PlaneSource
  private let factor: Int
  /// The rows of one read of the source.
  private let rows: PlaneBuffer
  private var planes: [PlaneAverage]

  /// - Parameter source: A source without straight alpha, which reads one row of its most subsampled plane at a time.
  init(_ source: any PlaneSource, factor: Int) throws(ImageDecodingError) {
    let (size, step) = (source.format.size, source.rowsPerRead)
    guard let rows = PlaneBuffer(rowByteCounts: source.format.rowByteCounts, rowCount: step, isRing: true) else {
      throw .outOfMemory(size)
    }
    let (shiftX, shiftY) = source.format.chromaShift
    var format = source.format
    format.size = PixelSize(
      width: (size.width + factor - 1) / factor, height: (size.height + factor - 1) / factor
    ).roundedUp(toMultiplesOf: PixelSize(width: 1 << shiftX, height: 1 << shiftY))
    planes = source.format.rowByteCounts.indices.map { index in
      let shift = index == 1 || index == 2 ? (x: shiftX, y: shiftY) : (x: 0, y: 0)
      return PlaneAverage(
        factor: factor, width: size.width >> shift.x, averageWidth: format.size.width >> shift.x, rowShift: shift.y)
    }
    format.rowByteCounts = planes.map(\.averageWidth)
    self.format = format
    self.source = source
    self.factor = factor
    self.rows = rows
  }

  func readRows(at row: Int, into target: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    for read in 0..<factor {
      let sourceRow = row * factor + read * rowsPerRead
      guard sourceRow < source.format.size.height else { break }
      _ = try source.readRows(at: sourceRow, into: rows)
      for plane in planes.indices {
        let shift = planes[plane].rowShift
        for planeRow in sourceRow >> shift..<(sourceRow + rowsPerRead) >> shift {
          planes[plane].add(rows.row(planeRow, ofPlane: plane))
          if planes[plane].isRowComplete { writeRow(ofPlane: plane, into: target) }
        }
      }
    }
    // The last rows of the image may average fewer source rows, or none.
    for plane in planes.indices {
      let endRow = (row + rowsPerRead) >> planes[plane].rowShift
      while planes[plane].nextRow < endRow { writeRow(ofPlane: plane, into: target) }
    }
    return rowsPerRead
  }

  func finish() throws(ImageDecodingError) { try source.finish() }

  private func writeRow(ofPlane plane: Int, into target: borrowing PlaneBuffer) {
    let row = planes[plane].nextRow
    planes[plane].writeRow(to: target.row(row, ofPlane: plane), previous: target.row(max(0, row - 1), ofPlane: plane))
  }
}

/// The averages of the rows of one plane.
private struct PlaneAverage {
  let averageWidth: Int
  let rowShift: Int
  private(set) var nextRow = 0

  private let factor: Int
  private let width: Int
  private var sums: [UInt16]
  private var addedRowCount = 0

  init(factor: Int, width: Int, averageWidth: Int, rowShift: Int) {
    self.factor = factor
    self.width = width
    self.averageWidth = averageWidth
    self.rowShift = rowShift
    sums = Array(repeating: 0, count: width)
  }

  var isRowComplete: Bool { addedRowCount == factor }

  mutating func add(_ row: UnsafeMutablePointer<UInt8>) {
    halcyon_add_samples(row, width, &sums)
    addedRowCount += 1
  }

  /// Writes the average of the added rows, or the previous row if there are none.
  mutating func writeRow(to target: UnsafeMutablePointer<UInt8>, previous: UnsafeMutablePointer<UInt8>) {
    nextRow += 1
    guard addedRowCount > 0 else { return target.update(from: previous, count: averageWidth) }
    let wholeCount = min(averageWidth, width / factor)
    sums.withUnsafeBufferPointer { buffer in
      guard let sums = buffer.baseAddress else { return }
      switch factor {
      case 2: averageRow(sums, factor: 2, count: wholeCount, to: target)
      case 3: averageRow(sums, factor: 3, count: wholeCount, to: target)
      case 4: averageRow(sums, factor: 4, count: wholeCount, to: target)
      default: averageRow(sums, factor: factor, count: wholeCount, to: target)
      }
      for column in wholeCount..<averageWidth {
        let first = min(column, (width - 1) / factor) * factor
        let columns = first..<min(first + factor, width)
        let total = columns.reduce(0) { $0 + Int(sums[$1]) }
        let count = columns.count * addedRowCount
        target[column] = UInt8(truncatingIfNeeded: (total + count / 2) / count)
      }
    }
    sums.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    addedRowCount = 0
  }

  /// Inlined, as a loop over a constant number of columns is unrolled.
  @inline(__always)
  private func averageRow(
    _ sums: UnsafePointer<UInt16>, factor: Int, count: Int, to target: UnsafeMutablePointer<UInt8>
  ) {
    let reciprocal = Reciprocal(factor * addedRowCount)
    var (column, index) = (0, 0)
    // Without ranges, which are slow without optimisation.
    while column < count {
      var total = reciprocal.half
      let next = index &+ factor
      while index < next {
        total &+= UInt32(truncatingIfNeeded: sums[index])
        index &+= 1
      }
      target[column] = reciprocal.quotient(total)
      column &+= 1
    }
  }
}

extension PlaneFormat {
  /// The binary logarithm of the subsampling of the second and third plane.
  fileprivate var chromaShift: (x: Int, y: Int) {
    if case .yCbCr(let shiftX, let shiftY) = channels { (shiftX, shiftY) } else { (0, 0) }
  }
}

extension PixelSize {
  func roundedUp(toMultiplesOf step: PixelSize) -> PixelSize {
    PixelSize(
      width: (width + step.width - 1) / step.width * step.width,
      height: (height + step.height - 1) / step.height * step.height)
  }
}
