import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct DamagedTraitImageTests {
  private static let sizes: [TargetSize] = [.original, .fit(width: 9, height: 9)]

  @Test(arguments: TraitFixture.withGolden, [0, 0.1, 0.5, 0.99])
  func `a truncated file is an error, never an image`(_ fixture: TraitFixture, _ part: Double) throws {
    let file = try fixture.data()
    let decoder = try fixture.decoder()
    let format = try #require(decoder.formats.first)
    let cut = file.prefix(Int(Double(file.count) * part))
    for size in Self.sizes {
      #expect(throws: ImageDecodingError.truncated(format), "\(size)") {
        try decoder.decode(cut, options: DecodingOptions(size: size))
      }
    }
    #expect(throws: ImageDecodingError.self) { try decoder.decode(Data(), options: DecodingOptions()) }
  }

  @Test(arguments: TraitFixture.withGolden)
  func `a flipped byte gives an image or a typed error`(_ fixture: TraitFixture) throws {
    let file = try fixture.data()
    let decoder = try fixture.decoder()
    let limits = ImageLimits(pixelCount: 1_000_000, sideLength: 4096)
    for index in stride(from: 0, to: file.count, by: max(7, file.count / 200)) {
      var flipped = file
      flipped[index] ^= 0xFF
      do {
        _ = try decoder.decode(flipped, options: DecodingOptions(size: .fit(width: 9, height: 9), limits: limits))
      } catch {
        #expect(error is ImageDecodingError)
      }
    }
  }

  @Test(arguments: TraitFixture.withGolden)
  func `limits, target size and cancellation are checked before decoding`(_ fixture: TraitFixture) throws {
    let file = try fixture.data()
    let decoder = try fixture.decoder()
    let size = try #require(try decoder.probe(file, isComplete: true)).storedSize
    #expect(throws: ImageDecodingError.sideTooLong(size, limit: 8)) {
      try decoder.decode(file, options: DecodingOptions(limits: ImageLimits(sideLength: 8)))
    }
    #expect(throws: ImageDecodingError.tooManyPixels(size, limit: 60)) {
      try decoder.decode(file, options: DecodingOptions(limits: ImageLimits(pixelCount: 60)))
    }
    let target = TargetSize.fit(width: 0, height: 4)
    #expect(throws: ImageDecodingError.invalidTargetSize(target)) {
      try decoder.decode(file, options: DecodingOptions(size: target))
    }
    #expect(throws: ImageDecodingError.cancelled) {
      try decoder.decode(file, options: DecodingOptions(isCancelled: { true }))
    }
  }
}
