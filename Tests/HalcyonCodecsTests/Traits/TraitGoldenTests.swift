import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct TraitGoldenTests {
  @Test(arguments: TraitFixture.withGolden)
  func `an image matches another implementation`(_ fixture: TraitFixture) throws {
    let golden = try fixture.golden()
    let image = try fixture.decoder().decode(fixture.data(), options: DecodingOptions())
    try #require(image.size == golden.size)
    #expect(image.bitmap.isOpaque == golden.isOpaque)
    let whole = TargetSize.original.geometry(for: golden.size)
    let difference = image.bitmap.difference(toAveraged: golden, geometry: whole)
    #expect(difference < fixture.tolerance)
  }

  @Test(
    arguments: TraitFixture.withGolden,
    [TargetSize.fit(width: 40, height: 40), .fit(width: 17, height: 17), .fill(width: 20, height: 9)])
  func `a smaller size is close to the average of the full size`(_ fixture: TraitFixture, _ size: TargetSize) throws {
    let golden = try fixture.golden()
    let small = try fixture.decoder().decode(fixture.data(), options: DecodingOptions(size: size)).bitmap
    let geometry = size.geometry(for: golden.size)
    #expect(small.size == geometry.outputSize)
    #expect(small.difference(toAveraged: golden, geometry: geometry) < 6)
  }

  @Test(arguments: TraitFixture.folders, ImageOrientation.allCases)
  func `an image is decoded upright at every size`(_ folder: String, _ orientation: ImageOrientation) throws {
    let endings = ["avif": "avif", "heif": "heic", "jxl": "jxl"]
    let file = try Fixture.data("\(folder)/mosaic-\(orientation.rawValue).\(endings[folder] ?? "")")
    let decoder = try TraitFixture.decoder(for: file)
    let mosaic = Mosaic.upright(orientation)
    for size in [TargetSize.original, .fit(width: 24, height: 24), .fill(width: 16, height: 16)] {
      let image = try decoder.decode(file, options: DecodingOptions(size: size))
      #expect(image.info.orientation == orientation)
      #expect(image.info.storedSize == Mosaic.stored.size)
      let geometry = size.geometry(for: mosaic.size)
      try #require(image.size == geometry.outputSize)
      #expect(mosaic.largestDifference(to: image.bitmap, window: geometry.window) < 40)
    }
  }

  @Test(arguments: TraitFixture.withGolden)
  func `probing a growing prefix gives nothing, then the final info`(_ fixture: TraitFixture) throws {
    let file = try fixture.data()
    let decoder = try fixture.decoder()
    let whole = try #require(try decoder.probe(file, isComplete: true))
    var isKnownEarly = false
    for count in [Array(0..<min(file.count, 1000)), Array(stride(from: 1000, to: file.count, by: 101))].joined() {
      let part = try decoder.probe(file.prefix(count), isComplete: false)
      #expect(part == nil || part == whole)
      isKnownEarly = isKnownEarly || part != nil
    }
    // If the header contains the image data, the info is not known before the end.
    #expect(isKnownEarly || fixture.name.contains("idat"))
  }
}
