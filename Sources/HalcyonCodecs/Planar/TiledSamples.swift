#if (AVIF || HEIF) && !IMAGEIO
import HalcyonImaging
import Foundation

/// A decoded image in planes: in one piece, or in tiles that are decoded row by row.
protocol TiledSamples: AnyObject {
  /// The size of the image in samples of the first plane.
  var size: PixelSize { get }

  /// The size of every tile; tiles at the right and at the bottom may extend beyond the image.
  var tileSize: PixelSize { get }

  /// The tiles in a row, from the left, at least one; all are coded alike. Valid until another row is read.
  func tiles(inRow row: Int) throws(ImageDecodingError) -> [SamplePlanes]
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

  func tiles(inRow row: Int) -> [SamplePlanes] { [planes] }
}

/// The rows of a decoded planar image, padded to a multiple of the subsampling.
final class SamplePlaneSource: PlaneSource {
  private static let rowsBetweenChecks = 64

  let format: PlaneFormat
  let rowsPerRead: Int

  private let samples: any TiledSamples
  private let isCancelled: () -> Bool
  private var tiles: [SamplePlanes]
  private var tileRow = 0

  /// The image from its first row on.
  ///
  /// - Parameter highDynamicRange: The signal, with the luminances that the file states.
  init(
    _ samples: any TiledSamples, highDynamicRange: HighDynamicRange?, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    self.samples = samples
    self.isCancelled = isCancelled
    tiles = try samples.tiles(inRow: 0)
    let first = tiles[0]
    let (shiftX, shiftY) = first.planes.reduce((0, 0)) { (max($0.0, $1.shiftX), max($0.1, $1.shiftY)) }
    let size = samples.size.roundedUp(toMultiplesOf: PixelSize(width: 1 << shiftX, height: 1 << shiftY))
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
    if row / tileHeight != tileRow {
      tileRow = row / tileHeight
      tiles = try samples.tiles(inRow: tileRow)
    }
    for plane in tiles[0].planes.indices {
      let shift = tiles[0].planes[plane].shiftY
      for target in row >> shift..<(row + rowsPerRead) >> shift {
        copy(row: target, ofPlane: plane, to: planes.row(target, ofPlane: plane))
      }
    }
    return rowsPerRead
  }

  func finish() {}

  /// Copies a row of all tiles side by side, and repeats its last sample; past the end, it copies the last row.
  private func copy(row: Int, ofPlane index: Int, to target: UnsafeMutablePointer<UInt8>) {
    let (plane, bytesPerSample) = (tiles[0].planes[index], format.coding.bytesPerSample)
    func part(_ size: PixelSize) -> PixelSize {
      PixelSize(
        width: (size.width + (1 << plane.shiftX) - 1) >> plane.shiftX,
        height: (size.height + (1 << plane.shiftY) - 1) >> plane.shiftY)
    }
    let (whole, tile) = (part(samples.size), part(samples.tileSize))
    let tileLine = min(row, whole.height - 1) - tileRow * tile.height
    var column = 0
    for planes in tiles where column < whole.width {
      let (source, width) = (planes.planes[index], min(tile.width, whole.width - column))
      memcpy(target + column * bytesPerSample, source.start + tileLine * source.bytesPerRow, width * bytesPerSample)
      column += width
    }
    for column in whole.width..<max(whole.width, format.size.width >> plane.shiftX) {
      memcpy(target + column * bytesPerSample, target + (whole.width - 1) * bytesPerSample, bytesPerSample)
    }
  }
}
#endif
