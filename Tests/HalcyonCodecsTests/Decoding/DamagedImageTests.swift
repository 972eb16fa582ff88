import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow)
struct DamagedImageTests {
  private static let paths = [
    "jpeg/peacock.default.jpeg", "jpeg/peacock.progressive.jpeg", "jpeg/peacock.made-cmyk.jpeg",
    "pngsuite/basn6a08.png", "pngsuite/basi2c08.png", Fixture.photo,
  ]
  private static let names = paths + FormatFixture.stills + FormatFixture.animations + TraitFixture.names
  private static let sizes: [TargetSize] = [.original, .fit(width: 9, height: 9), .fill(width: 30, height: 5)]

  private func decode(_ name: String, _ options: DecodingOptions, file: Data? = nil) throws -> Bitmap {
    try FormatFixture.decoder(name).decode(file ?? FormatFixture.data(name), options: options).bitmap
  }

  @Test(arguments: names)
  func `a truncated file is an error, never an image`(_ name: String) throws {
    // In these files, the data after the first image or the last pixel may be missing.
    guard !["pages.tiff", "sizes.ico", "png.ico", "mask24.ico"].contains(name) else { return }
    let file = try FormatFixture.data(name)
    let isTrait = TraitFixture.names.contains(name)
    for part in Self.paths.contains(name) ? [0, 0.01, 0.5, 0.75] : isTrait ? [0, 0.1, 0.5, 0.99] : [0.3, 0.6, 0.95] {
      let cut = file.prefix(Int(Double(file.count) * part))
      for size in Self.sizes {
        #expect(throws: ImageDecodingError.truncated(try FormatFixture.format(name)), "\(part) \(size)") {
          try decode(name, DecodingOptions(size: size), file: cut)
        }
      }
    }
  }

  @Test(arguments: names)
  func `a flipped byte gives an image or a typed error`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    // Decoders of large libraries take the most time; the fuzzer goes through every byte.
    let step = Self.paths.contains(name) ? 7 : TraitFixture.names.contains(name) ? 61 : 19
    for index in stride(from: 0, to: min(file.count, 4000), by: step) {
      var flipped = file
      flipped[index] ^= 0xFF
      for size in Self.sizes.prefix(2) {
        do {
          let limits = ImageLimits(pixelCount: 1_000_000, sideLength: 4096)
          _ = try decode(name, DecodingOptions(size: size, limits: limits), file: flipped)
        } catch {
          #expect(error is ImageDecodingError, "\(error) at \(index)")
        }
      }
    }
  }

  @Test(arguments: names)
  func `an image over the limit is rejected before it is decoded`(_ name: String) throws {
    #expect {
      try decode(name, DecodingOptions(size: .fit(width: 1, height: 1), limits: ImageLimits(pixelCount: 3)))
    } throws: { error in
      if case .tooManyPixels(_, limit: 3)? = error as? ImageDecodingError { true } else { false }
    }
    #expect {
      try decode(name, DecodingOptions(limits: ImageLimits(sideLength: 1)))
    } throws: { error in
      if case .sideTooLong(_, limit: 1)? = error as? ImageDecodingError { true } else { false }
    }
  }

  @Test(arguments: [60_000, 65_535])
  func `a size over the limit is rejected before memory is allocated`(_ side: Int) throws {
    let size = PixelSize(width: side, height: side)
    let bytes = FileSurgery.bytes(side, count: 2)
    let jpeg = try FileSurgery.jpeg(FormatFixture.data(Self.paths[0]), frameByte: 5, bytes + bytes)
    var png = try FormatFixture.data(Self.paths[3])
    png.replaceSubrange(16..<24, with: FileSurgery.bytes(side, count: 4) + FileSurgery.bytes(side, count: 4))
    for (name, file) in [(Self.paths[0], jpeg), (Self.paths[3], png)] {
      #expect(throws: ImageDecodingError.sideTooLong(size, limit: 16_384)) {
        try decode(name, DecodingOptions(size: .fit(width: 1, height: 1)), file: file)
      }
      let limits = ImageLimits(pixelCount: 1_000_000, sideLength: 100_000)
      #expect(throws: ImageDecodingError.tooManyPixels(size, limit: 1_000_000)) {
        try decode(name, DecodingOptions(limits: limits), file: file)
      }
    }
  }

  @Test(
    arguments: names,
    [
      TargetSize.fit(width: 0, height: 5), .fit(width: 5, height: -1), .fill(width: 0, height: 0),
      .fill(width: .min, height: 1), .exact(width: 0, height: 3), .fill(width: 3, height: -3, anchor: .top),
    ])
  func `a target size without pixels is rejected`(_ name: String, _ size: TargetSize) throws {
    #expect(throws: ImageDecodingError.invalidTargetSize(size)) { try decode(name, DecodingOptions(size: size)) }
  }

  @Test(arguments: names, sizes)
  func `a decode cancelled before it starts throws`(_ name: String, _ size: TargetSize) throws {
    #expect(throws: ImageDecodingError.cancelled) {
      try decode(name, DecodingOptions(size: size, isCancelled: { true }))
    }
  }
}
