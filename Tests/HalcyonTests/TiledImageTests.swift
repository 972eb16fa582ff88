import Foundation
import Halcyon
@_spi(Programs) import HalcyonCodecs
import HalcyonImaging
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Parts of pictures.
@Suite(.unitTest)
struct TiledImageTests {
  /// Decodes a ``SolidImage`` in parts, and records them.
  private final class CuttingDecoder: ImageDecoder {
    let formats: Set<ImageFormat>
    let decodesRegions = true
    let regions = EventLog<PixelArea?>()
    let gate: Gate?
    private let isProgressive: Bool
    private let running = Lock((now: 0, most: 0))

    init(_ format: ImageFormat = .bmp, isProgressive: Bool = false, gate: Gate? = nil) {
      (formats, self.isProgressive, self.gate) = ([format], isProgressive, gate)
    }

    /// The most parts that were decoded at once.
    var mostAtOnce: Int { running.withLock(\.most) }

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      var info = try SolidDecoder().probe(bytes, isComplete: isComplete)
      if let format = formats.first { info?.format = format }
      return info
    }

    func metadata(of bytes: Data) throws -> ImageMetadata {
      ImageMetadata(info: try wholeInfo(of: bytes), isProgressive: isProgressive)
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { running.withLock { $0.now -= 1 } }
      regions.record(options.region)
      gate?.waitBlocking()
      return try SolidDecoder().decode(bytes, options: options)
    }
  }

  private static func area(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> PixelArea {
    PixelArea(left: left, top: top, width: width, height: height)
  }

  private func fixture(
    _ decoder: any ImageDecoder, costLimit: Int = 100 << 20, threads: Int = 2
  ) -> PipelineFixture {
    PipelineFixture {
      $0.decoders = [decoder]
      $0.cache = ImageCache(memory: MemoryCacheConfiguration(costLimit: costLimit), disk: nil)
      $0.decodingThreads = threads
    } script: { _ in
      .response(body: SolidImage(width: 1000, height: 600).data)
    }
  }

  private func open(_ fixture: PipelineFixture) async throws -> TiledImage {
    try await fixture.pipeline.tiledImage(for: ImageRequest(url: fixture.url))
  }

  @Test(arguments: ["coffee.jpg", "rocket_progressive.jpg", "chelsea.png"], [1, 2, 4])
  func `a tile is the part of the whole picture`(name: String, reduction: Int) async throws {
    let data = try Photos.data(name)
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    let picture = try await pipeline.tiledImage(for: ImageRequest(source: .data(data)))
    var (size, region, reference) = (picture.size.reduced(by: reduction), PixelArea?.none, data)
    if picture.info.format == .jpeg {
      // Tiles that are cut have exactly the reduction, at which some columns and rows at the end are no whole pixel.
      size = PixelSize(width: picture.size.width / reduction, height: picture.size.height / reduction)
      region = Self.area(0, 0, size.width * reduction, size.height * reduction)
      // Of a progressive file, the last bits of its coefficients do not count at a smaller size.
      reference =
        try JPEGTransform.transformed(data, quarterTurns: 0, isProgressive: false, metadata: .keep) ?? data
    }
    let target = reduction == 1 ? TargetSize.original : .exact(width: size.width, height: size.height)
    let whole = try await DecodedImage(data: reference, size: target, region: region).bitmap
    for area in [Self.area(0, 0, 64, 64), Self.area(128, 64, 100, 200), Self.area(44, 76, 4, 4)] {
      let tile = try await picture.tile(area, reduction: reduction).bitmap
      #expect(tile.size == area.size.reduced(by: reduction))
      var largest = 0
      for row in 0..<tile.size.height {
        for column in 0..<tile.size.width {
          let (found, other) = (tile[column, row], whole[area.left / reduction + column, area.top / reduction + row])
          largest = max(
            largest, abs(Int(found.red) - Int(other.red)), abs(Int(found.green) - Int(other.green)),
            abs(Int(found.blue) - Int(other.blue)))
        }
      }
      #expect(largest <= 2, "\(area)")
    }
  }

  @Test func `a format that is read in parts is not decoded as a whole, as many at once as there are threads`()
    async throws
  {
    let gate = Gate()
    let decoder = CuttingDecoder(gate: gate)
    let picture = try await open(fixture(decoder, threads: 2))
    let areas = (0..<6).map { Self.area($0 * 100, 0, 100, 100) }
    async let tiles = withThrowingTaskGroup { group in
      for area in areas { group.addTask { try await picture.tile(area, reduction: 2).size } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await gate.waitUntilHolding(2)
    gate.open()
    #expect(try await tiles == Array(repeating: PixelSize(width: 50, height: 50), count: 6))
    #expect(Set(decoder.regions.events) == Set(areas))
    #expect(decoder.mostAtOnce == 2)
  }

  @Test(arguments: [false, true])
  func `a progressive file, whose passes have all parts, is decoded as a whole`(isProgressive: Bool) async throws {
    let decoder = CuttingDecoder(.jpeg, isProgressive: isProgressive)
    // The signature of JPEG, of which the last byte is a part of the width, and its end.
    let data = Data([0xFF, 0xD8]) + SolidImage(width: 0x03FF, height: 600).data.dropFirst(2) + [0xFF, 0xD9]
    let pipeline = ImagePipeline {
      $0.cache = ImageCache(disk: nil)
      $0.decoders = [decoder]
    }
    let picture = try await pipeline.tiledImage(for: ImageRequest(source: .data(data)))
    let areas = [Self.area(0, 0, 100, 100), Self.area(100, 0, 100, 100)]
    for area in areas { _ = try await picture.tile(area) }
    #expect(decoder.regions.events == (isProgressive ? [nil] : areas))
  }

  @Test func `a format that is not read in parts is decoded once at each reduction`() async throws {
    let decoder = SolidDecoder()
    let picture = try await open(fixture(decoder))
    for reduction in [4, 1, 4, 1] {
      try await withThrowingTaskGroup { group in
        for column in 0..<8 {
          group.addTask { try await picture.tile(Self.area(column * 100, 100, 100, 64), reduction: reduction).size }
        }
        for try await size in group { #expect(size == PixelSize(width: 100 / reduction, height: 64 / reduction)) }
      }
    }
    #expect(decoder.decodedSizes == [.exact(width: 250, height: 150, enlarges: false), .original])
  }

  @Test func `a picture that takes more memory than the cache may use is decoded for each tile`() async throws {
    let decoder = SolidDecoder()
    // 4 bytes of 600,000 pixels, and two thirds for smaller levels.
    let picture = try await open(fixture(decoder, costLimit: 3_100_000))
    for _ in 0..<2 { _ = try await picture.tile(Self.area(0, 0, 100, 100)) }
    #expect(decoder.decodedSizes == [.original, .original])
    for _ in 0..<2 { _ = try await picture.tile(Self.area(0, 0, 100, 100), reduction: 2) }
    #expect(decoder.decodedSizes.count == 3)
  }

  @Test(arguments: [(false, false, true), (false, true, false), (true, false, true), (true, true, true)])
  func `several tiles cost as much as one if the file is read in parts or the picture is kept`(
    cutsRegions: Bool, hasHighRange: Bool, isCheap: Bool
  ) async throws {
    // Exactly what the picture and its smaller levels take at 4 bytes for each pixel.
    let fixture = fixture(cutsRegions ? CuttingDecoder() : SolidDecoder(), costLimit: 4_000_000)
    let request = ImageRequest(url: fixture.url) { $0.dynamicRange = hasHighRange ? .high : .standard }
    #expect(try await fixture.pipeline.tiledImage(for: request).isCheapInParts(at: 1) == isCheap)
  }

  @Test func `a cancelled tile ends, and others that wait for the same picture do not`() async throws {
    let latch = Latch()
    let started = Signal()
    let decoder = SolidDecoder {
      started.set()
      latch.wait()
    }
    let picture = try await open(fixture(decoder))
    let tiles = (0..<2).map { column in Task { try await picture.tile(Self.area(column * 100, 0, 100, 100)) } }
    await started.wait()
    tiles[0].cancel()
    await #expect(throws: ImageError.self) { try await tiles[0].value }
    latch.open()
    #expect(try await tiles[1].value.size == PixelSize(width: 100, height: 100))
    #expect(decoder.decodedSizes.count == 1)
  }

  @Test(arguments: [
    area(0, 0, 1001, 10), area(-1, 0, 10, 10), area(0, 590, 10, 11), area(0, 0, 0, 10), area(.max, 0, .max, 1),
  ])
  func `a part that is not inside the picture is an error`(area: PixelArea) async throws {
    let decoders: [any ImageDecoder] = [CuttingDecoder(), SolidDecoder()]
    for decoder in decoders {
      let picture = try await open(fixture(decoder))
      let error = await #expect(throws: ImageError.self) { try await picture.tile(area) }
      guard case .decoding(.invalidRegion(area, of: picture.size), url: _)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test func `a reduction below 1 counts as 1, and one above the picture gives a pixel`() async throws {
    let picture = try await open(fixture(CuttingDecoder()))
    for (reduction, side) in [(0, 10), (-3, 10), (3, 4), (1 << 40, 1)] {
      #expect(try await picture.tile(Self.area(3, 5, 10, 10), reduction: reduction).size.width == side)
    }
  }

  @Test func `an image that its source returns decoded has tiles, and processors do not apply to them`() async throws {
    let image = DecodedImage(
      bitmap: try Bitmap(size: PixelSize(width: 300, height: 200), isOpaque: true) { pixels in
        for index in pixels.indices { pixels[index] = [200, 100, 50, 255][index % 4] }
      })
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    var request = ImageRequest(source: .image(key: "solid") { image }, size: .fit(width: 10))
    request.processors = [.invert]
    let tile = try await pipeline.tiledImage(for: request).tile(Self.area(200, 100, 2, 1)).bitmap
    #expect(tile.size == PixelSize(width: 2, height: 1))
    #expect(abs(Int(tile[1, 0].red) - 200) < 5 && abs(Int(tile[1, 0].green) - 100) < 5)
  }

  @Test func `a tile of an animation is of its first frame, and still`() async throws {
    let data = TinyGIF.animation(reds: [0, 80, 160])
    let picture = try await ImagePipeline.shared.tiledImage(for: ImageRequest(source: .data(data)))
    for reduction in [1, 2] {
      let tile = try await picture.tile(PixelArea(size: picture.size), reduction: reduction)
      #expect(tile.animation == nil && tile.bitmap[0, 0].red == 0)
    }
  }

  @Test func `a source that is not an image is not opened`() async throws {
    await #expect(throws: ImageError.self) {
      try await ImagePipeline.shared.tiledImage(for: ImageRequest(source: .data(Data("text".utf8))))
    }
  }
}
