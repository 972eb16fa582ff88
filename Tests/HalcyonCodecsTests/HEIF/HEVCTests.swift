#if HEIF && !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Pictures that are decoded without libheif.
@Suite(.integrationTest)
struct HEVCTests {
  private static let single = "heif/photo-single.heic"
  private static let grid = "heif/photo-grid.heic"
  private static let alpha = "heif/gradient-alpha.heic"

  // Without colour, as libheif gives planes of RGB, in which it has enlarged chroma.
  @Test func `libheif decodes the same pixels`() throws {
    let file = try Fixture.data("heif/photo-grey.heic")
    let image = try HEIFDecoder().decode(file, options: DecodingOptions())
    let other = try file.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) -> DecodedImage in
      let header = try #require(try Self.header(Bytes(buffer)))
      #expect(try Self.items(Bytes(buffer), header) != nil)
      let plan = try DecodingPlan(info: header.info(.heic), options: DecodingOptions())
      let whole = try HEIFImage(buffer, header: header, isTransformed: false, limits: ImageLimits())
      return try PlanarRenderer().image(WholeSamples(whole.samples()), header: header, plan: plan) { false }
    }
    #expect(image.bitmap.largestDifference(to: other.bitmap) <= 1)
    #expect(image.info == other.info)
  }

  @Test func `tiles are found in their order`() throws {
    let file = try Fixture.data(Self.grid)
    try file.withUnsafeBytes { buffer in
      let header = try #require(try Self.header(Bytes(buffer)))
      let items = try #require(try Self.items(Bytes(buffer), header))
      #expect(items.columnCount == 3)
      #expect(items.items.count == 6)
      #expect(items.tileSize == PixelSize(width: 64, height: 64))
      #expect(items.size == PixelSize(width: 150, height: 100))
    }
  }

  @Test(arguments: [alpha, single])
  func `alpha is decoded without libheif`(_ name: String) throws {
    let file = try Fixture.data(name)
    try file.withUnsafeBytes { buffer in
      let header = try #require(try Self.header(Bytes(buffer)))
      let items = try #require(try Self.items(Bytes(buffer), header))
      #expect((items.alpha != nil) == header.hasAlpha)
    }
  }

  @Test func `alpha in another coding is an error, not left out`() throws {
    var file = try Fixture.data(Self.alpha)
    // The types of the picture and of its alpha.
    let types = file.ranges(of: Data("hvc1".utf8))
    try #require(types.count == 2)
    file.replaceSubrange(types[1], with: Data("hvcX".utf8))
    #expect(throws: ImageDecodingError.unsupportedFeature(.heic, feature: "images of the type hvcX")) {
      try HEIFDecoder().decode(file, options: DecodingOptions())
    }
  }

  @Test(arguments: [(single, false, SampleCoding.Alpha.none), (alpha, false, .straight), (alpha, true, .premultiplied)])
  func `alpha is premultiplied if the file says so`(
    _ name: String, _ isPremultiplied: Bool, _ expected: SampleCoding.Alpha
  ) throws {
    let file = try Fixture.data(name)
    try file.withUnsafeBytes { buffer in
      var header = try #require(try Self.header(Bytes(buffer)))
      let items = try #require(try Self.items(Bytes(buffer), header))
      header.isAlphaPremultiplied = isPremultiplied
      let tiles = try HEVCTiles(items, header: header, skipsLoopFilters: false, options: DecodingOptions())
      #expect(try tiles.tiles(inRow: 0, columns: 0..<1)[0].coding.alpha == expected)
    }
  }

  @Test func `a grid is decoded until it is cancelled`() throws {
    let file = try Fixture.data(Self.grid)
    for allowed in 1...8 {
      let checks = Lock(0)
      let options = DecodingOptions(isCancelled: {
        checks.withLock { count in
          count += 1
          return count > allowed
        }
      })
      #expect(throws: ImageDecodingError.cancelled) { try HEIFDecoder().decode(file, options: options) }
    }
  }

  @Test(arguments: [single, grid])
  func `a picture larger than its header states is an error that names both sizes`(_ name: String) throws {
    var file = try Fixture.data(name)
    // The first size belongs to the picture, or to the tiles.
    let box = try #require(file.firstRange(of: Data("ispe".utf8)))
    file.replaceSubrange(box.upperBound + 4..<box.upperBound + 12, with: [0, 0, 0, 100, 0, 0, 0, 80])
    let error = #expect(throws: ImageDecodingError.self) {
      try HEIFDecoder().decode(file, options: DecodingOptions(size: .fit(width: 30, height: 30)))
    }
    #expect(error?.description.contains("its header says 100x80") == true, "\(String(describing: error))")
  }

  @Test(arguments: [single, grid])
  func `a wrong length of a unit is an error`(_ name: String) throws {
    let file = try Fixture.data(name)
    let data = try #require(file.firstRange(of: Data("mdat".utf8))).upperBound
    for length in [[0x7F, 0xFF, 0xFF, 0xFF], [0, 0, 0, 2], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      var damaged = file
      damaged.replaceSubrange(data..<data + 4, with: length)
      #expect(throws: ImageDecodingError.self) { try HEIFDecoder().decode(damaged, options: DecodingOptions()) }
    }
  }

  @Test func `a grid may have more pixels than the limit, as one picture may not, if it is decoded smaller`() throws {
    func decode(_ name: String, _ size: TargetSize, limit: Int) throws -> PixelSize {
      let options = DecodingOptions(size: size, limits: ImageLimits(pixelCount: limit))
      return try HEIFDecoder().decode(Fixture.data(name), options: options).size
    }
    let (whole, small) = (PixelSize(width: 150, height: 100), TargetSize.fit(width: 15, height: 15))
    let row = PixelSize(width: 192, height: 64)
    #expect(try decode(Self.grid, small, limit: row.pixelCount) == PixelSize(width: 15, height: 10))
    #expect(throws: ImageDecodingError.tooManyPixels(whole, limit: row.pixelCount)) {
      try decode(Self.grid, .original, limit: row.pixelCount)
    }
    #expect(throws: ImageDecodingError.tooManyPixels(row, limit: row.pixelCount - 1)) {
      try decode(Self.grid, small, limit: row.pixelCount - 1)
    }
    let single = try HEIFDecoder().decode(Fixture.data(Self.single), options: DecodingOptions()).size
    #expect(throws: ImageDecodingError.tooManyPixels(single, limit: single.pixelCount - 1)) {
      try decode(Self.single, small, limit: single.pixelCount - 1)
    }
  }

  @Test func `a grid without one of its tiles is an error`() throws {
    var file = try Fixture.data(Self.grid)
    let type = try #require(file.firstRange(of: Data("hvc1".utf8)))
    file.replaceSubrange(type, with: Data("hvcX".utf8))
    #expect(throws: ImageDecodingError.self) { try HEIFDecoder().decode(file, options: DecodingOptions()) }
  }

  private static func header(_ bytes: Bytes) throws -> HEIFImageHeader? {
    try HEIFImageHeaderParser.parse(bytes, format: .heic, isComplete: true, prefersSequence: false)
  }

  private static func items(_ bytes: Bytes, _ header: HEIFImageHeader) throws -> HEVCItems? {
    HEVCItems(bytes, metadata: try #require(try MediaFile(bytes, format: .heic).metadata), header: header)
  }
}
#endif
