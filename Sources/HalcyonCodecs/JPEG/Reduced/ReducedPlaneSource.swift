#if !IMAGEIO
import HalcyonImaging

/// Where a component's rows of a row of MCUs go.
struct ReducedTarget {
  let start: UnsafeMutablePointer<UInt8>
  let stride: Int
}

/// The samples of a JPEG file at a reduced scale.
protocol ReducedRows: AnyObject {
  /// Writes the next row of MCUs, with a target for each component. Returns `false` if the data is damaged or unusual.
  func readRow(into targets: [ReducedTarget]) -> Bool

  /// Skips rows of MCUs. Default: writes each of them to the targets.
  func skipRows(_ count: Int, into targets: [ReducedTarget]) -> Bool
}

extension ReducedRows {
  func skipRows(_ count: Int, into targets: [ReducedTarget]) -> Bool {
    (0..<count).allSatisfy { _ in readRow(into: targets) }
  }
}

/// The planes of a JPEG file that is decoded at a reduced scale without what the scale does not need.
///
/// A sample of a reduced picture needs one coefficient of a block, or a few. The others are skipped by tables that take
/// several at once; a progressive file's scans without needed coefficients are not read at all. Only plain files that are
/// whole are decoded: for all others, and as soon as data is not what was expected, libjpeg decodes the file instead.
final class ReducedPlaneSource: PlaneSource {
  var format: PlaneFormat { planes.format }
  var rowsPerRead: Int { planes.groupRows[0] }
  /// Whether reading failed because libjpeg has to decode the file.
  private(set) var isUnusual = false

  private let rows: any ReducedRows
  private let planes: JPEGPlanes
  private let part: JPEGPart
  /// The number of rows of the whole image.
  private let height: Int
  private let isCancelled: () -> Bool

  fileprivate init(
    _ rows: any ReducedRows, planes: JPEGPlanes, _ part: JPEGPart, height: Int, isCancelled: @escaping () -> Bool
  ) {
    self.rows = rows
    self.planes = planes
    self.part = part
    self.height = height
    self.isCancelled = isCancelled
  }

  func readRows(at row: Int, into buffer: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if row == 0 { try skip(0..<part.rows.lowerBound) }
    try read(at: row, into: buffer)
    planes.pad(row..<row + rowsPerRead, of: buffer)
    return rowsPerRead
  }

  private func read(at row: Int, into buffer: borrowing PlaneBuffer) throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
    try check(rows.readRow(into: targets(at: row, of: buffer)))
  }

  private func targets(at row: Int, of buffer: borrowing PlaneBuffer) -> [ReducedTarget] {
    var targets: [ReducedTarget] = []
    for (plane, count) in planes.groupRows.enumerated() {
      // A group never wraps around the end of the ring buffer: both have a power of two of rows.
      targets.append(
        ReducedTarget(
          start: buffer.row(row / rowsPerRead * count, ofPlane: plane), stride: buffer.stride(ofPlane: plane)))
    }
    return targets
  }

  private func check(_ isPlain: Bool) throws(ImageDecodingError) {
    guard !isPlain else { return }
    isUnusual = true
    throw .corrupt(.jpeg, reason: "its data is damaged")
  }

  private func skip(_ range: Range<Int>) throws(ImageDecodingError) {
    guard !range.isEmpty else { return }
    guard let buffer = PlaneBuffer(rowByteCounts: format.rowByteCounts, rowCount: rowsPerRead, isRing: true) else {
      throw .outOfMemory(format.size)
    }
    let count = (range.count + rowsPerRead - 1) / rowsPerRead
    try check(rows.skipRows(count, into: targets(at: 0, of: buffer)))
  }

  func finish() throws(ImageDecodingError) {
    if part.readsToEnd { try skip(part.rows.upperBound..<height) }
  }
}

extension JPEGFile {
  /// Opens the planes of a plain grey or YCbCr image; `nil` if libjpeg has to decode it.
  func reducedPlanes(_ part: JPEGPart) throws(ImageDecodingError) -> ReducedPlaneSource? {
    let scale = part.scale
    // libjpeg reads a whole image at full scale faster.
    guard scale != .full || !part.readsToEnd, let (frame, columns, rows) = try reducedRows(part), frame.size == size,
      let planes = frame.planes(scale: scale)
    else { return nil }
    return ReducedPlaneSource(
      rows, planes: planes.part(part.area.size, units: (columns.count, frame.units.across)), part,
      height: scale.size(of: size).height, isCancelled: isCancelled)
  }

  /// The rows of a part, and the MCUs of each of them.
  private func reducedRows(
    _ part: JPEGPart
  ) throws(ImageDecodingError) -> (ReducedFrame, columns: Range<Int>, any ReducedRows)? {
    let scale = part.scale
    guard var segments = JPEGSegments(bytes) else { return nil }
    var tables = JPEGTables()
    var frame: ReducedFrame?
    var scans: ProgressiveScans?
    while let segment = segments.nextHeader() {
      switch segment.marker {
      case JPEGSegments.endOfImage:
        guard var scans, scans.select(), scans.frame.columns(of: part.area).count == scans.frame.units.across,
          let rows = try ProgressiveRows(scans, file: bytes, isCancelled: isCancelled)
        else { return nil }
        return (scans.frame, 0..<scans.frame.units.across, rows)
      case JPEGSegments.startOfScan:
        guard let frame else { return nil }
        guard frame.isProgressive else {
          let columns = frame.columns(of: part.area)
          return BaselineScan(
            segment, frame: frame, tables: tables, columns: columns, index: index, checksAll: part.readsToEnd,
            file: bytes
          ).map { (frame, columns, $0) }
        }
        guard scans?.add(segment, tables: tables) == true, segments.skipScan() else { return nil }
      case ReducedFrame.baseline, ReducedFrame.progressive:
        guard frame == nil else { return nil }
        frame = ReducedFrame(segment, scale: scale)
        scans = frame.map { ProgressiveScans($0, scale: scale) }
        guard frame != nil else { return nil }
      default: guard tables.read(segment) else { return nil }
      }
    }
    return nil
  }
}

extension ReducedFrame {
  /// The MCUs of a row that an area at the scale meets.
  fileprivate func columns(of area: PixelArea) -> Range<Int> {
    let width = components[0].across * components[0].side
    return area.left / width..<(area.left + area.width - 1) / width + 1
  }

  fileprivate func planes(scale: JPEGScale) -> JPEGPlanes? {
    JPEGPlanes(
      size: scale.size(of: size),
      planes: components.map { component in
        JPEGPlanes.Plane(
          size: component.size, storedWidth: units.across * component.across * component.side,
          groupRows: component.down * component.side)
      })
  }
}
#endif
