#if (AVIF || HEIF) && !IMAGEIO
import HalcyonImaging
import Foundation

/// A decoded image in planes: in one piece, or in tiles that are decoded row by row.
protocol TiledSamples: AnyObject {
  /// The size of the image in samples of the first plane.
  var size: PixelSize { get }

  /// The size of every tile; tiles at the right and at the bottom may extend beyond the image.
  var tileSize: PixelSize { get }

  /// The tiles in a row and in some columns, from the left, at least one; all are coded alike. Valid until another row is
  /// read.
  func tiles(inRow row: Int, columns: Range<Int>) throws(ImageDecodingError) -> [SamplePlanes]
}

/// An image in one piece.
final class WholeSamples: TiledSamples {
  private let planes: SamplePlanes

  /// - Parameter planes: Valid as long as the samples are used.
  init(_ planes: SamplePlanes) {
    self.planes = planes
  }

  var size: PixelSize { planes.size }
  var tileSize: PixelSize { planes.size }

  func tiles(inRow row: Int, columns: Range<Int>) -> [SamplePlanes] { [planes] }
}

extension TiledSamples {
  /// A tile that a part of the image shows.
  func tile(at window: PixelRectangle) throws(ImageDecodingError) -> SamplePlanes {
    let (column, row) = (
      min(max(0, Int(window.x)), size.width - 1) / tileSize.width,
      min(max(0, Int(window.y)), size.height - 1) / tileSize.height
    )
    return try tiles(inRow: row, columns: column..<column + 1)[0]
  }
}

/// The rows of a part of a decoded planar image, padded to a multiple of the subsampling.
final class SamplePlaneSource: PlaneSource {
  private static let rowsBetweenChecks = 64

  let format: PlaneFormat
  let rowsPerRead: Int

  private let samples: any TiledSamples
  private let area: PixelArea
  /// The columns of tiles that the area meets.
  private let columns: Range<Int>
  private let isCancelled: () -> Bool
  private var tiles: [SamplePlanes]
  private var tileRow: Int

  /// The part from its first row on.
  ///
  /// - Parameters:
  ///   - area: Its left and top edges are multiples of the subsampling, and so are the others inside the image.
  ///   - highDynamicRange: The signal, with the luminances that the file states.
  init(
    _ samples: any TiledSamples, _ area: PixelArea, highDynamicRange: HighDynamicRange?,
    isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    self.samples = samples
    self.area = area
    self.isCancelled = isCancelled
    let width = samples.tileSize.width
    columns = area.left / width..<(area.left + area.width - 1) / width + 1
    tileRow = area.top / samples.tileSize.height
    tiles = try samples.tiles(inRow: tileRow, columns: columns)
    let first = tiles[0]
    let (shiftX, shiftY) = first.planes.reduce((0, 0)) { (max($0.0, $1.shiftX), max($0.1, $1.shiftY)) }
    let size = area.size.roundedUp(toMultiplesOf: PixelSize(width: 1 << shiftX, height: 1 << shiftY))
    rowsPerRead = 1 << shiftY
    var format = PlaneFormat(
      channels: first.channels, size: size,
      rowByteCounts: first.planes.map { (size.width >> $0.shiftX) * first.coding.bytesPerSample })
    format.coding = first.coding
    format.coding.highDynamicRange = highDynamicRange
    self.format = format
  }

  func readRows(at row: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if row % Self.rowsBetweenChecks == 0, isCancelled() { throw .cancelled }
    let tileHeight = samples.tileSize.height
    if (area.top + row) / tileHeight != tileRow {
      tileRow = (area.top + row) / tileHeight
      tiles = try samples.tiles(inRow: tileRow, columns: columns)
    }
    for plane in tiles[0].planes.indices {
      let shift = tiles[0].planes[plane].shiftY
      for target in row >> shift..<(row + rowsPerRead) >> shift {
        copy(row: target + (area.top >> shift), ofPlane: plane, to: planes.row(target, ofPlane: plane))
      }
    }
    return rowsPerRead
  }

  func finish() {}

  /// Copies a row of the tiles side by side, and repeats its last sample; past the end, it copies the last row.
  private func copy(row: Int, ofPlane index: Int, to target: UnsafeMutablePointer<UInt8>) {
    let (plane, bytesPerSample) = (tiles[0].planes[index], format.coding.bytesPerSample)
    func part(_ size: PixelSize) -> PixelSize {
      PixelSize(
        width: (size.width + (1 << plane.shiftX) - 1) >> plane.shiftX,
        height: (size.height + (1 << plane.shiftY) - 1) >> plane.shiftY)
    }
    let (whole, tile, wanted) = (part(samples.size), part(samples.tileSize), part(area.size).width)
    let tileLine = min(row, whole.height - 1) - tileRow * tile.height
    let left = area.left >> plane.shiftX
    // The column of the image from which on samples are copied, and its place in the tile.
    var (column, skipped) = (left, left - columns.lowerBound * tile.width)
    for planes in tiles where column < left + wanted {
      let (source, width) = (planes.planes[index], min(tile.width - skipped, left + wanted - column))
      memcpy(
        target + (column - left) * bytesPerSample,
        source.start + tileLine * source.bytesPerRow + skipped * bytesPerSample, width * bytesPerSample)
      (column, skipped) = (column + width, 0)
    }
    for column in wanted..<max(wanted, format.size.width >> plane.shiftX) {
      memcpy(target + column * bytesPerSample, target + (wanted - 1) * bytesPerSample, bytesPerSample)
    }
  }
}
#endif
