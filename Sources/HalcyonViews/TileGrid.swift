package import HalcyonImaging
import HalcyonSupport

/// A square of one level of a picture.
package struct Tile: Hashable, Sendable {
  /// Pixels of the picture for each pixel of the level, along a side: 1, 2, 4 and so on.
  package var reduction: Int
  package var column: Int
  package var row: Int

  package init(reduction: Int, column: Int, row: Int) {
    (self.reduction, self.column, self.row) = (reduction, column, row)
  }
}

/// Which tiles of a picture a zoomed view draws, loads and keeps.
package struct TileGrid: Hashable, Sendable {
  /// The side of a tile in pixels of its level.
  package static let side = 256
  /// The pixels of a level by which a tile overlaps its neighbours, for the filter that draws it.
  package static let bleed = 2

  /// The size of the picture.
  package let imageSize: PixelSize

  package init(imageSize: PixelSize) { self.imageSize = imageSize }

  /// The most pixels of all tiles: three times those of the view, and at least a million.
  package static func pixelLimit(for view: PixelSize) -> Int { max(3 * view.pixelCount, 1 << 20) }

  /// The tiles in the view.
  ///
  /// They are of the first level with a pixel for each one of the screen, or of a coarser one if they would be over the limit.
  ///
  /// - Parameter baseWidth: The width of the image that shows the whole picture; none is needed while that is sharp.
  package func tiles(for geometry: ZoomGeometry, baseWidth: Int) -> [Tile] {
    guard geometry.rectangle.width - 1 > Double(baseWidth) else { return [] }
    let visible = geometry.visibleRectangle
    guard visible.width > 0, visible.height > 0 else { return [] }
    var reduction = 1
    while Double(2 * reduction) * geometry.zoom <= 1 { reduction *= 2 }
    let limit = Self.pixelLimit(for: geometry.viewSize)
    while pixelCount(of: range(of: visible, reduction), reduction) > limit { reduction *= 2 }
    let (columns, rows) = range(of: visible, reduction)
    return rows.flatMap { row in columns.map { Tile(reduction: reduction, column: $0, row: row) } }
  }

  private typealias TileRange = (columns: ClosedRange<Int>, rows: ClosedRange<Int>)

  private func range(of visible: PixelRectangle, _ reduction: Int) -> TileRange {
    let side = Double(Self.side * reduction)
    func range(_ start: Double, _ length: Double) -> ClosedRange<Int> {
      let first = Int(start / side)
      return first...max(first, Int(((start + length) / side).rounded(.up)) - 1)
    }
    return (range(visible.x, visible.width), range(visible.y, visible.height))
  }

  private func pixelCount(of range: TileRange, _ reduction: Int) -> Int {
    range.columns.count * range.rows.count * (Self.side + 2 * Self.bleed) * (Self.side + 2 * Self.bleed)
  }

  /// The part of the picture that a tile is drawn for.
  package func cell(of tile: Tile) -> PixelArea { area(from: tile, to: tile, bleed: 0) }

  /// The part of the picture that a tile has pixels of: its cell and the bleed around it.
  package func area(of tile: Tile) -> PixelArea { area(from: tile, to: tile, bleed: Self.bleed) }

  /// Tiles of one level in rows, of which each is decoded at once; the rows in the middle of the view come first.
  package func rows(of tiles: [Tile], for geometry: ZoomGeometry) -> [[Tile]] {
    func distance(_ tile: Tile) -> Double {
      abs((Double(tile.row) + 0.5) * Double(Self.side * tile.reduction) - geometry.centre.y)
    }
    return Dictionary(grouping: tiles, by: \.row).values.sorted { distance($0[0]) < distance($1[0]) }
  }

  /// The part of the picture that all of some tiles of one level are in.
  package func area(of tiles: some Collection<Tile>) -> PixelArea? {
    guard let first = tiles.first else { return nil }
    let (start, end) = tiles.reduce(into: (first, first)) { corners, tile in
      corners.0.column = min(corners.0.column, tile.column)
      corners.0.row = min(corners.0.row, tile.row)
      corners.1.column = max(corners.1.column, tile.column)
      corners.1.row = max(corners.1.row, tile.row)
    }
    return area(from: start, to: end, bleed: Self.bleed)
  }

  private func area(from start: Tile, to end: Tile, bleed: Int) -> PixelArea {
    let (side, bleed) = (Self.side * start.reduction, bleed * start.reduction)
    let (left, top) = (max(0, start.column * side - bleed), max(0, start.row * side - bleed))
    return PixelArea(
      left: left, top: top, width: min(imageSize.width, (end.column + 1) * side + bleed) - left,
      height: min(imageSize.height, (end.row + 1) * side + bleed) - top)
  }

  /// The pixels of a tile in memory.
  package func pixelCount(of tile: Tile) -> Int {
    area(of: tile).size.reduced(by: tile.reduction).pixelCount
  }

  /// The tiles to free, so that the others are within the limit: those that are not wanted, the farthest first.
  package func evictions(of held: some Collection<Tile>, wanted: [Tile], for geometry: ZoomGeometry) -> [Tile] {
    var excess = held.reduce(0) { $0 + pixelCount(of: $1) } - Self.pixelLimit(for: geometry.viewSize)
    guard excess > 0 else { return [] }
    let wanted = Set(wanted)
    let others = held.filter { !wanted.contains($0) }
      .sorted { distance($0, geometry.centre) > distance($1, geometry.centre) }
    return Array(
      others.prefix { tile in
        defer { excess -= pixelCount(of: tile) }
        return excess > 0
      })
  }

  /// The square of the distance between the middles of a tile and of the view.
  private func distance(_ tile: Tile, _ centre: ZoomGeometry.Point) -> Double {
    let side = Double(Self.side * tile.reduction)
    let (x, y) = ((Double(tile.column) + 0.5) * side - centre.x, (Double(tile.row) + 0.5) * side - centre.y)
    return x * x + y * y
  }
}
