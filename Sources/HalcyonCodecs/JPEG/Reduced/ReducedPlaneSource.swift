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
  private let isCancelled: () -> Bool

  fileprivate init(_ rows: any ReducedRows, planes: JPEGPlanes, isCancelled: @escaping () -> Bool) {
    self.rows = rows
    self.planes = planes
    self.isCancelled = isCancelled
  }

  func readRows(at row: Int, into buffer: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if isCancelled() { throw .cancelled }
    var targets: [ReducedTarget] = []
    for (plane, count) in planes.groupRows.enumerated() {
      // A group never wraps around the end of the ring buffer: both have a power of two of rows.
      targets.append(
        ReducedTarget(
          start: buffer.row(row / rowsPerRead * count, ofPlane: plane), stride: buffer.stride(ofPlane: plane)))
    }
    guard rows.readRow(into: targets) else {
      isUnusual = true
      throw .corrupt(.jpeg, reason: "its data is damaged")
    }
    planes.pad(row..<row + rowsPerRead, of: buffer)
    return rowsPerRead
  }

  func finish() {}
}

extension JPEGFile {
  /// Opens the planes of a plain grey or YCbCr image; `nil` if libjpeg has to decode it.
  func reducedPlanes(scale: JPEGScale) throws(ImageDecodingError) -> ReducedPlaneSource? {
    guard scale != .full, let (frame, rows) = try reducedRows(scale: scale), frame.size == size,
      let planes = frame.planes(scale: scale)
    else { return nil }
    return ReducedPlaneSource(rows, planes: planes, isCancelled: isCancelled)
  }

  private func reducedRows(scale: JPEGScale) throws(ImageDecodingError) -> (ReducedFrame, any ReducedRows)? {
    guard var segments = JPEGSegments(bytes) else { return nil }
    var (tables, selection) = (JPEGTables(), JPEGScanSelection(scale: scale))
    var frame: ReducedFrame?
    var scans: ProgressiveScans?
    while let segment = segments.nextHeader() {
      let isNeeded = selection.needs(segment)
      switch segment.marker {
      case JPEGSegments.endOfImage:
        guard var scans, scans.select(),
          let rows = try ProgressiveRows(scans, file: bytes, isCancelled: isCancelled)
        else { return nil }
        return (scans.frame, rows)
      case JPEGSegments.startOfScan:
        guard let frame else { return nil }
        guard frame.isProgressive else {
          return BaselineScan(segment, frame: frame, tables: tables, file: bytes).map { (frame, $0) }
        }
        guard scans?.add(segment, tables: tables, isDispensable: !isNeeded) == true, segments.skipScan() else {
          return nil
        }
      case ReducedFrame.baseline, ReducedFrame.progressive:
        guard frame == nil else { return nil }
        frame = ReducedFrame(segment, scale: scale)
        scans = frame.map { ProgressiveScans($0) }
        guard frame != nil else { return nil }
      default: guard tables.read(segment) else { return nil }
      }
    }
    return nil
  }
}

extension ReducedFrame {
  fileprivate func planes(scale: JPEGScale) -> JPEGPlanes? {
    func part(_ length: Int) -> Int { (length * Int(scale.rawValue) + 7) / 8 }
    return JPEGPlanes(
      size: PixelSize(width: part(size.width), height: part(size.height)),
      planes: components.map { component in
        JPEGPlanes.Plane(
          size: component.size, storedWidth: units.across * component.across * component.side,
          groupRows: component.down * component.side)
      })
  }
}
#endif
