import Foundation
import HalcyonCache
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonViews
import Testing

@Suite(.unitTest)
@MainActor
struct TileLoaderTests {
  private let fixture = PipelineFixture.serving(SolidImage(width: 3000, height: 2000))
  private let loaded = EventLog<Int>()

  private func loader(_ fixture: PipelineFixture? = nil) async throws -> TileLoader<PixelSize> {
    let fixture = fixture ?? self.fixture
    let image = try await fixture.pipeline.tiledImage(for: ImageRequest(url: fixture.url))
    let loader = TileLoader(image) { $0.size }
    loader.onLoad = { [loaded, weak loader] in loaded.record(loader?.tiles.count ?? 0) }
    return loader
  }

  private func finish<Drawing>(_ loader: TileLoader<Drawing>) async throws {
    while loader.isLoading { try await loaded.waitForEvents(count: loaded.events.count + 1) }
  }

  private func geometry(_ zoom: Double) -> ZoomGeometry {
    var geometry = ZoomGeometry(
      imageSize: PixelSize(width: 3000, height: 2000), viewSize: PixelSize(width: 600, height: 400))
    geometry.zoom(to: zoom, around: geometry.middle)
    return geometry
  }

  @Test func `missing tiles are loaded, and have the pixels of their areas`() async throws {
    let loader = try await loader()
    let wanted = loader.grid.tiles(for: geometry(1), baseWidth: 600)
    loader.load(wanted, for: geometry(1))
    #expect(loader.isLoading)
    try await finish(loader)
    #expect(Set(loader.tiles.keys) == Set(wanted) && !loader.isLoading)
    for (tile, size) in loader.tiles { #expect(size == loader.grid.area(of: tile).size) }
    // Those that are there are not loaded again.
    loader.load(Array(wanted.dropLast()), for: geometry(1))
    #expect(!loader.isLoading)
    // Nor those around the missing ones.
    var view = geometry(1)
    view.pan(x: -400, y: 0)
    let next = loader.grid.tiles(for: view, baseWidth: 600)
    loader.load(next, for: view)
    try await finish(loader)
    #expect(Set(loader.tiles.keys).isSuperset(of: next))
  }

  @Test func `the row in the middle is shown first, unless each row takes decoding the whole picture`() async throws {
    let loader = try await loader()
    let wanted = loader.grid.tiles(for: geometry(1), baseWidth: 600)
    let shown = EventLog<Set<Int>>()
    loader.onLoad = { [loaded, weak loader] in
      shown.record(Set(loader?.tiles.keys.map(\.row) ?? []))
      loaded.record(0)
    }
    loader.load(wanted, for: geometry(1))
    try await finish(loader)
    #expect(shown.events == [[3], [3, 4]])
    let small = PipelineFixture {
      $0.cache = ImageCache(memory: MemoryCacheConfiguration(costLimit: 1 << 20), disk: nil)
    } script: { _ in
      .response(body: SolidImage(width: 3000, height: 2000).data)
    }
    let whole = try await self.loader(small)
    whole.load(wanted, for: geometry(1))
    try await finish(whole)
    #expect(Set(whole.tiles.keys) == Set(wanted) && small.decoder.decodedSizes.count == 1)
  }

  @Test func `tiles of a reduction have the pixels of their places in the part that is decoded for all`() async throws {
    let fixture = PipelineFixture {
      $0.cache = ImageCache(memory: MemoryCacheConfiguration(costLimit: 1 << 18), disk: nil)
      $0.decoders = [PlaceDecoder()]
    } script: { _ in
      .response(body: SolidImage(width: 600, height: 560).data)
    }
    let image = try await fixture.pipeline.tiledImage(for: ImageRequest(url: fixture.url))
    let loader = TileLoader<[Int]>(image) { [Int($0[0, 0].red), Int($0[0, 0].green)] }
    loader.onLoad = { [loaded] in loaded.record(0) }
    let wanted = [0, 1].flatMap { column in [0, 1].map { Tile(reduction: 2, column: column, row: $0) } }
    loader.load(wanted, for: geometry(0.5))
    try await finish(loader)
    #expect(Set(loader.tiles.keys) == Set(wanted))
    for (tile, place) in loader.tiles {
      let area = loader.grid.area(of: tile)
      #expect(abs(place[0] - 100 * area.left / 600) <= 1, "\(tile)")
      #expect(abs(place[1] - 100 * area.top / 560) <= 1, "\(tile)")
    }
  }

  @Test func `tiles of other places are freed once there are too many`() async throws {
    let loader = try await loader()
    var view = geometry(1)
    for _ in 0..<8 {
      let wanted = loader.grid.tiles(for: view, baseWidth: 600)
      loader.load(wanted, for: view)
      try await finish(loader)
      let pixels = loader.tiles.keys.reduce(0) { $0 + loader.grid.pixelCount(of: $1) }
      #expect(Set(loader.tiles.keys).isSuperset(of: wanted) && pixels <= TileGrid.pixelLimit(for: view.viewSize))
      view.pan(x: 300, y: 200)
    }
  }

  @Test func `stopped loads change nothing, and a released loader ends`() async throws {
    var loader: TileLoader<PixelSize>? = try await loader()
    weak let released = loader
    loader?.load([Tile(reduction: 1, column: 0, row: 0)], for: geometry(1))
    loader?.stop()
    #expect(loader?.isLoading == false)
    loader?.load([Tile(reduction: 2, column: 1, row: 1)], for: geometry(1))
    try await loaded.waitForEvents(count: 1)
    #expect(loader.map { Array($0.tiles.keys) } == [Tile(reduction: 2, column: 1, row: 1)])
    loader = nil
    #expect(released == nil)
  }

  @Test func `a tile that cannot be decoded is left out`() async throws {
    let loader = try await loader()
    loader.load([Tile(reduction: 1, column: 100, row: 0)], for: geometry(1))
    try await loaded.waitForEvents(count: 1)
    #expect(loader.tiles.isEmpty && !loader.isLoading)
  }
}

/// Decodes a ``SolidImage`` to pixels whose red and green are their places, in percent of the width and the height.
private struct PlaceDecoder: ImageDecoder {
  private let solid = SolidDecoder()
  var formats: Set<ImageFormat> { solid.formats }

  func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? { try solid.probe(bytes, isComplete: isComplete) }

  func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let image = try solid.decode(bytes, options: options)
    let size = image.size
    let bitmap = try Bitmap(size: size, isOpaque: true) { pixels in
      for index in 0..<size.pixelCount {
        let (row, column) = index.quotientAndRemainder(dividingBy: size.width)
        pixels[4 * index] = UInt8(100 * column / size.width)
        pixels[4 * index + 1] = UInt8(100 * row / size.height)
        pixels[4 * index + 3] = 255
      }
    }
    return DecodedImage(bitmap: bitmap, info: image.info)
  }
}
