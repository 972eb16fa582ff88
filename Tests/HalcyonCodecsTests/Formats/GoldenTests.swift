import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// Compares pixels with Pillow's, or for APNG with a NumPy compositor's: see the README of the fixtures.
@Suite(.integrationTest)
struct GoldenTests {
  /// The largest difference of a channel: rounding where alpha or small channels are scaled.
  private static let tolerance = 1

  @Test(arguments: FormatFixture.stills)
  func `a file decodes to the same pixels as in Pillow`(_ name: String) throws {
    let image = try FormatFixture.decoder(name).decode(FormatFixture.data(name), options: DecodingOptions())
    let golden = try FormatFixture.golden(name)
    #expect(image.bitmap.largestDifference(to: golden) <= Self.tolerance)
    #expect(image.size == image.info.pixelSize)
  }

  @Test(arguments: FormatFixture.animations)
  func `every frame of an animation matches the golden frame`(_ name: String) throws {
    let decoder = try FormatFixture.animatedDecoder(name)
    let reader = try decoder.frameReader(for: FormatFixture.data(name), options: DecodingOptions())
    let golden = try FormatFixture.golden(name)
    #expect(reader.animation.frameCount == 5)
    var top = 0
    while let frame = try reader.nextFrame() {
      let expected = try golden.rows(from: top, count: 24)
      #expect(frame.bitmap.largestDifference(to: expected) <= 2, "frame \(top / 24)")
      top += 24
    }
    #expect(top == golden.size.height)
  }

  @Test(arguments: FormatFixture.stills + TraitFixture.names + [Fixture.photo] + Fixture.jpegNames)
  func `a smaller size is close to the average of the full size`(_ name: String) throws {
    let decoder = try FormatFixture.decoder(name)
    let full = try decoder.decode(FormatFixture.data(name), options: DecodingOptions()).bitmap
    // An icon has separate entries for smaller sizes.
    guard !name.hasSuffix("ico"), full.size.width > 8 else { return }
    let (isJPEG, isTrait) = (Fixture.jpegNames.contains(name), TraitFixture.names.contains(name))
    let sides = isJPEG ? [60, 50, 33, 25, 12, 5, 1] : isTrait ? [17, 40] : [17, 3]
    let others = isJPEG ? [(20, 20), (9, 40), (50, 3)] : isTrait ? [(20, 9)] : [(9, 11)]
    let fitting = sides.map { TargetSize.fit(width: $0, height: $0) }
    for size in fitting + others.map({ TargetSize.fill(width: $0.0, height: $0.1) }) {
      let small = try decoder.decode(FormatFixture.data(name), options: DecodingOptions(size: size)).bitmap
      let geometry = size.geometry(for: full.size)
      #expect(small.size == geometry.outputSize)
      // Lanczos preserves more contrast than an average, most visibly in very small images.
      let bound: Double = isJPEG ? (small.size.width < 9 ? 9 : 6) : isTrait ? 6 : 14
      #expect(small.difference(toAveraged: full, geometry: geometry) < bound, "\(size)")
    }
  }
}
