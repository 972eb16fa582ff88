package import HalcyonImaging
package import HalcyonPipeline

/// Loads and holds the tiles of one picture for a view, in the form in which the view draws them.
@MainActor
package final class TileLoader<Drawing> {
  /// The tiles that are in memory.
  package private(set) var tiles: [Tile: Drawing] = [:]
  /// The grid of the picture.
  package let grid: TileGrid
  /// Called each time that tiles have been loaded, or cannot be.
  package var onLoad: (@MainActor () -> Void)?

  private let image: TiledImage
  private let makeDrawing: @MainActor (Bitmap) -> Drawing
  private var load: Task<Void, Never>?

  package init(_ image: TiledImage, makeDrawing: @escaping @MainActor (Bitmap) -> Drawing) {
    (self.image, self.makeDrawing) = (image, makeDrawing)
    grid = TileGrid(imageSize: image.size)
  }

  deinit { load?.cancel() }

  /// Whether tiles are being loaded.
  package var isLoading: Bool { load != nil }

  /// Loads the tiles that are missing, those in the middle of the view first, and frees others if there are too many; in place
  /// of an earlier load.
  package func load(_ wanted: [Tile], for geometry: ZoomGeometry) {
    stop()
    evict(wanted, geometry)
    let missing = wanted.filter { tiles[$0] == nil }
    guard let reduction = missing.first?.reduction else { return }
    // In a format without an access to its parts, all tiles are decoded at once.
    let groups = image.isCheapInParts(at: reduction) ? grid.rows(of: missing, for: geometry) : [missing]
    load = Task { [weak self, image, grid] in
      for (index, group) in groups.enumerated() {
        guard let area = grid.area(of: group) else { continue }
        // Where they cannot be decoded, the picture stays blurred.
        let bitmap = try? await image.tile(area, reduction: reduction).bitmap
        guard let self, !Task.isCancelled else { return }
        if index == groups.count - 1 { load = nil }
        for tile in group { tiles[tile] = bitmap.flatMap { part(tile, of: $0, area) }.map(makeDrawing) }
        evict(wanted, geometry)
        onLoad?()
      }
    }
  }

  /// Cancels the load; tiles that have been loaded stay.
  package func stop() {
    load?.cancel()
    load = nil
  }

  private func evict(_ wanted: [Tile], _ geometry: ZoomGeometry) {
    for tile in grid.evictions(of: tiles.keys, wanted: wanted, for: geometry) { tiles[tile] = nil }
  }

  /// The pixels of a tile in those of an area around it.
  private func part(_ tile: Tile, of bitmap: Bitmap, _ area: PixelArea) -> Bitmap? {
    let (part, reduction) = (grid.area(of: tile), tile.reduction)
    let size = part.size.reduced(by: reduction)
    let place = PixelArea(
      left: (part.left - area.left) / reduction, top: (part.top - area.top) / reduction, width: size.width,
      height: size.height)
    return try? bitmap.with(BitmapGeometry(place))
  }
}
