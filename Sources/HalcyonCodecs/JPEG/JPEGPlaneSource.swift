import HalcyonImaging
import JPEGShim

/// The planes of a JPEG image as they are stored, before colours are converted.
final class JPEGPlaneSource: PlaneSource {
  let format: PlaneFormat
  var rowsPerRead: Int { groupRows[0] }

  private let reader: JPEGReader
  /// Rows of each plane that libjpeg gives at once.
  private let groupRows: [Int]
  /// The size of the first plane without what was added to make it divisible.
  private let size: PixelSize
  private let isCancelled: () -> Bool
  private var rows: [UnsafeMutablePointer<UInt8>?] = []

  init(
    _ reader: consuming JPEGReader, format: PlaneFormat, scale: JPEGScale, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    let layout = try reader.start(jpeg_shim_planes, scale: scale, isCancelled: isCancelled)
    let planes = [layout.planes.0, layout.planes.1, layout.planes.2].prefix(format.rowByteCounts.count)
    groupRows = planes.map(\.group_rows)
    size = PixelSize(width: layout.width, height: layout.height)
    self.reader = reader
    self.format = format
    self.isCancelled = isCancelled
  }

  func readRows(at row: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if isCancelled() { throw .cancelled }
    let group = row / groupRows[0]
    rows.removeAll(keepingCapacity: true)
    for (plane, count) in groupRows.enumerated() {
      for index in 0..<count { rows.append(planes.row(group * count + index, ofPlane: plane)) }
    }
    try reader.readGroup(into: rows)
    pad(row..<row + groupRows[0], of: planes)
    return groupRows[0]
  }

  func finish() throws(ImageDecodingError) { try reader.finish() }

  /// Repeats the last column and row where the plane was made divisible by the subsampling: what the file has there is
  /// anyone's guess.
  private func pad(_ range: Range<Int>, of planes: borrowing PlaneBuffer) {
    if size.width < format.size.width {
      for row in range {
        let samples = planes.row(row, ofPlane: 0)
        for column in size.width..<format.size.width { samples[column] = samples[size.width - 1] }
      }
    }
    guard range.contains(size.height - 1) else { return }
    for row in size.height..<max(size.height, format.size.height) {
      planes.row(row, ofPlane: 0).update(from: planes.row(size.height - 1, ofPlane: 0), count: format.size.width)
    }
  }
}
