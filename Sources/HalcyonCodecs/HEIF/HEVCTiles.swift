#if HEIF && !IMAGEIO
import HalcyonImaging

/// The pictures of an image in HEVC, which are decoded when their row is read.
final class HEVCTiles: TiledSamples {
  private let items: HEVCItems
  private let header: HEIFImageHeader
  private let skipsLoopFilters: Bool
  private let options: DecodingOptions
  private var row: Int?
  /// The decoded tiles of the row, by column.
  private var tiles: [Int: Tile] = [:]
  /// The layout of all tiles, once one is decoded.
  private var format: SamplePlanes?

  private struct Tile {
    let samples: SamplePlanes
    /// The owners of the samples.
    let pictures: [HEVCPicture]
  }

  /// - Parameter skipsLoopFilters: Whether the edges of blocks are not smoothed.
  /// - Throws: `ImageDecodingError.tooManyPixels` if a row of tiles has more pixels than the limit.
  init(
    _ items: HEVCItems, header: HEIFImageHeader, skipsLoopFilters: Bool, options: DecodingOptions
  ) throws(ImageDecodingError) {
    guard items.rowSize.pixelCount <= options.limits.pixelCount else {
      throw .tooManyPixels(items.rowSize, limit: options.limits.pixelCount)
    }
    self.items = items
    self.header = header
    self.skipsLoopFilters = skipsLoopFilters
    self.options = options
  }

  var size: PixelSize { items.size }
  var tileSize: PixelSize { items.tileSize }

  func tiles(inRow index: Int, columns: Range<Int>) throws(ImageDecodingError) -> [SamplePlanes] {
    if index != row { (row, tiles) = (index, [:]) }
    for column in columns where tiles[column] == nil {
      if options.isCancelled() { throw .cancelled }
      tiles[column] = try tile(items.items[index * items.columnCount + column])
    }
    return columns.compactMap { tiles[$0]?.samples }
  }

  private func tile(_ item: HEVCItems.Item) throws(ImageDecodingError) -> Tile {
    let picture = try picture(item)
    let alpha = try items.alpha.map { (item) throws(ImageDecodingError) in try self.picture(item) }
    let planes = try picture.samples(color: header.color, alpha: alpha, isPremultiplied: header.isAlphaPremultiplied)
    try check(planes, like: format)
    format = planes
    return Tile(samples: planes, pictures: [picture] + (alpha.map { [$0] } ?? []))
  }

  private func picture(_ item: HEVCItems.Item) throws(ImageDecodingError) -> HEVCPicture {
    try HEVCPicture(
      item, size: tileSize, skipsLoopFilters: skipsLoopFilters, pictureCount: items.columnCount, limits: options.limits)
  }

  /// Tiles are joined sample by sample, so all must have the same layout.
  private func check(_ tile: SamplePlanes, like other: SamplePlanes?) throws(ImageDecodingError) {
    let divides = tile.planes.allSatisfy {
      tileSize.width % (1 << $0.shiftX) == 0 && tileSize.height % (1 << $0.shiftY) == 0
    }
    guard divides || items.items.count == 1 else {
      throw .unsupportedFeature(.heic, feature: "tiles of \(tileSize) pixels with subsampled colour")
    }
    guard let other, other.channels != tile.channels || other.coding != tile.coding || other.color != tile.color else {
      return
    }
    throw .unsupportedFeature(.heic, feature: "tiles that are coded differently")
  }
}
#endif
