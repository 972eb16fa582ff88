import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow)
struct DamagedFormatTests {
  private static let names = FormatFixture.stills + FormatFixture.animations
  private static let sizes: [TargetSize] = [.original, .fit(width: 9, height: 9), .fill(width: 30, height: 5)]

  @Test(arguments: names, [0.3, 0.6, 0.95])
  func `a truncated file is an error, never an image`(_ name: String, _ part: Double) throws {
    let file = try FormatFixture.data(name)
    let cut = file.prefix(Int(Double(file.count) * part))
    // In these files, the data after the first image or the last pixel may be missing.
    guard !["pages.tiff", "sizes.ico", "png.ico", "mask24.ico"].contains(name) else { return }
    for size in Self.sizes {
      #expect(throws: ImageDecodingError.truncated(try FormatFixture.format(name)), "\(size)") {
        try FormatFixture.decoder(name).decode(cut, options: DecodingOptions(size: size))
      }
    }
  }

  @Test(arguments: names)
  func `a flipped byte gives an image or a typed error`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    let decoder = try FormatFixture.decoder(name)
    for index in stride(from: 0, to: min(file.count, 4000), by: 19) {
      var flipped = file
      flipped[index] ^= 0xFF
      for size in Self.sizes.prefix(2) {
        do {
          _ = try decoder.decode(flipped, options: DecodingOptions(size: size))
        } catch {
          #expect(error is ImageDecodingError, "\(error) at \(index)")
        }
      }
    }
  }

  @Test(arguments: names)
  func `an image over the limit is rejected before it is decoded`(_ name: String) throws {
    let limits = ImageLimits(pixelCount: 3)
    #expect {
      try FormatFixture.decoder(name).decode(
        FormatFixture.data(name), options: DecodingOptions(size: .fit(width: 1, height: 1), limits: limits))
    } throws: { error in
      if case .tooManyPixels(_, limit: 3)? = error as? ImageDecodingError { true } else { false }
    }
  }

  @Test(arguments: names, sizes)
  func `a decode cancelled before it starts throws`(_ name: String, _ size: TargetSize) throws {
    #expect(throws: ImageDecodingError.cancelled) {
      try FormatFixture.decoder(name).decode(
        FormatFixture.data(name), options: DecodingOptions(size: size, isCancelled: { true }))
    }
  }

  @Test(arguments: names, [TargetSize.fit(width: 0, height: 5), .fill(width: 5, height: -1)])
  func `a target size without pixels is rejected`(_ name: String, _ size: TargetSize) throws {
    #expect(throws: ImageDecodingError.invalidTargetSize(size)) {
      try FormatFixture.decoder(name).decode(FormatFixture.data(name), options: DecodingOptions(size: size))
    }
  }
}
