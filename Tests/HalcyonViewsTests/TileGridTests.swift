import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonViews
import Testing

@Suite(.unitTest)
struct TileGridTests {
  private static let size = PixelSize(width: 16_000, height: 12_500)
  private let grid = TileGrid(imageSize: size)

  private func geometry(_ zoom: Double, in view: PixelSize = PixelSize(width: 1120, height: 760)) -> ZoomGeometry {
    var geometry = ZoomGeometry(imageSize: Self.size, viewSize: view)
    geometry.zoom(to: zoom, around: geometry.middle)
    return geometry
  }

  @Test(arguments: [(8.0, 1), (1.0, 1), (0.99, 1), (0.7, 1), (0.51, 2), (0.5, 2), (0.25, 4), (0.2, 4), (0.125, 8)])
  func `tiles are of the first level that is sharp, unless it takes too much memory`(zoom: Double, reduction: Int) {
    let tiles = grid.tiles(for: geometry(zoom), baseWidth: 100)
    #expect(Set(tiles.map(\.reduction)) == [reduction])
    let small = geometry(1, in: PixelSize(width: 300, height: 300))
    #expect(Set(grid.tiles(for: small, baseWidth: 100).map(\.reduction)) == [1], "a small view has a million pixels")
    let half = geometry(0.5, in: PixelSize(width: 200, height: 200))
    #expect(Set(grid.tiles(for: half, baseWidth: 100).map(\.reduction)) == [2], "a pixel for each of the screen")
  }

  @Test func `there are no tiles while the whole picture is sharp`() {
    let fitting = geometry(0)
    #expect(grid.tiles(for: fitting, baseWidth: Int(fitting.rectangle.width.rounded())).isEmpty)
    #expect(!grid.tiles(for: fitting, baseWidth: 500).isEmpty)
    #expect(grid.tiles(for: geometry(8), baseWidth: .max).isEmpty)
  }

  @Test func `tiles cover the view, within three views of pixels`() {
    var random = SplitMix(state: 2)
    for _ in 0..<300 {
      let view = PixelSize(
        width: .random(in: 50...3000, using: &random), height: .random(in: 50...2000, using: &random))
      var geometry = geometry(.random(in: 0.05...8, using: &random), in: view)
      geometry.centre = ZoomGeometry.Point(
        x: .random(in: 0...16_000, using: &random), y: .random(in: 0...12_500, using: &random))
      let tiles = grid.tiles(for: geometry, baseWidth: 1)
      #expect(tiles.reduce(0) { $0 + grid.pixelCount(of: $1) } <= TileGrid.pixelLimit(for: view))
      let visible = geometry.visibleRectangle
      for (x, y) in [(0.001, 0.001), (0.999, 0.001), (0.5, 0.5), (0.001, 0.999), (0.999, 0.999)] {
        let (column, row) = (Int(visible.x + x * visible.width), Int(visible.y + y * visible.height))
        #expect(tiles.contains { contains(grid.cell(of: $0), column, row) })
      }
    }
  }

  private func contains(_ area: PixelArea, _ x: Int, _ y: Int) -> Bool {
    x >= area.left && x < area.left + area.width && y >= area.top && y < area.top + area.height
  }

  @Test(arguments: [
    (Tile(reduction: 1, column: 0, row: 0), PixelArea(left: 0, top: 0, width: 258, height: 258)),
    (Tile(reduction: 1, column: 2, row: 1), PixelArea(left: 510, top: 254, width: 260, height: 260)),
    (Tile(reduction: 4, column: 1, row: 1), PixelArea(left: 1016, top: 1016, width: 1040, height: 1040)),
    (Tile(reduction: 4, column: 15, row: 12), PixelArea(left: 15_352, top: 12_280, width: 648, height: 220)),
  ])
  func `a tile has its cell and a margin of its neighbours, inside the picture`(tile: Tile, area: PixelArea) {
    #expect(grid.area(of: tile) == area)
  }

  @Test func `missing tiles are decoded in rows, those in the middle first, and each in one area around them`() {
    func tile(_ column: Int, _ row: Int) -> Tile { Tile(reduction: 2, column: column, row: row) }
    // The middle, at 6250, is in row 12.
    let rows = grid.rows(of: [tile(4, 10), tile(5, 11), tile(4, 11), tile(2, 12), tile(2, 13)], for: geometry(0.5))
    #expect(rows.map { $0.map(\.row) } == [[12], [11, 11], [13], [10]])
    #expect(grid.area(of: rows[1]) == PixelArea(left: 2044, top: 5628, width: 1032, height: 520))
    let area = grid.area(of: [tile(4, 4), tile(5, 3), tile(2, 3), tile(5, 7)])
    #expect(area == PixelArea(left: 1020, top: 1532, width: 2056, height: 2568))
    #expect(grid.area(of: [tile(1, 1)]) == grid.area(of: tile(1, 1)))
    #expect(grid.area(of: []) == nil)
  }

  @Test func `tiles that are not wanted are freed, the farthest first, once there are too many`() {
    var view = geometry(1)
    let wanted = grid.tiles(for: view, baseWidth: 1)
    #expect(grid.evictions(of: wanted, wanted: wanted, for: view).isEmpty)
    var held = Set(wanted)
    // A walk to the right keeps what fits.
    for _ in 0..<10 {
      view.pan(x: -800, y: 0)
      let next = grid.tiles(for: view, baseWidth: 1)
      held.formUnion(next)
      let evicted = grid.evictions(of: held, wanted: next, for: view)
      held.subtract(evicted)
      #expect(held.isSuperset(of: next))
      #expect(held.reduce(0) { $0 + grid.pixelCount(of: $1) } <= TileGrid.pixelLimit(for: view.viewSize))
      let rest = held.subtracting(next).map(\.column)
      if let farthest = evicted.map(\.column).max(), let nearest = rest.min() { #expect(farthest <= nearest + 1) }
    }
    #expect(held.count > grid.tiles(for: view, baseWidth: 1).count)
  }
}
