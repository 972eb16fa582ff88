import HalcyonImaging
import Foundation
@testable import HalcyonCodecs
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

  @Test(arguments: TraitFixture.folders, ImageOrientation.allCases)
  func `an image is decoded upright at every size`(_ folder: String, _ orientation: ImageOrientation) throws {
    let endings = ["avif": "avif", "heif": "heic", "jxl": "jxl"]
    let file = try Fixture.data("\(folder)/mosaic-\(orientation.rawValue).\(endings[folder] ?? "")")
    let decoder = try StandardCodecs.decoder(of: file)
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
}
