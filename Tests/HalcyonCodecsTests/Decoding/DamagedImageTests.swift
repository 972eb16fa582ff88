import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow)
struct DamagedImageTests {
  private static let names = [
    "jpeg/peacock.default.jpeg", "jpeg/peacock.progressive.jpeg", "jpeg/peacock.made-cmyk.jpeg",
    "pngsuite/basn6a08.png", "pngsuite/basi2c08.png", Fixture.photo,
  ]
  private static let sizes: [TargetSize] = [.original, .fit(width: 9, height: 9), .fill(width: 30, height: 5)]

  @Test(arguments: names, [0, 0.01, 0.5, 0.75])
  func `a truncated file is an error, never an image`(_ name: String, _ part: Double) throws {
    let file = try Fixture.data(name)
    let cut = file.prefix(Int(Double(file.count) * part))
    let format: ImageFormat = name.hasSuffix("png") ? .png : .jpeg
    for size in Self.sizes {
      #expect(throws: ImageDecodingError.truncated(format), "\(size)") {
        try decoder(name).decode(cut, options: DecodingOptions(size: size))
      }
    }
  }

  @Test(arguments: names.dropLast(), sizes)
  func `a flipped byte gives an image or a typed error`(_ name: String, _ size: TargetSize) throws {
    let file = try Fixture.data(name)
    for index in stride(from: 0, to: file.count, by: 3) {
      var flipped = file
      flipped[index] ^= 0xFF
      do {
        _ = try decoder(name).decode(flipped, options: DecodingOptions(size: size))
      } catch {
        #expect(error is ImageDecodingError)
      }
    }
  }

  @Test(arguments: [60_000, 65_535])
  func `a size over the limit is rejected before memory is allocated`(_ side: Int) throws {
    let size = PixelSize(width: side, height: side)
    let bytes = FileSurgery.bytes(side, count: 2)
    let jpeg = try FileSurgery.jpeg(Fixture.data("jpeg/peacock.default.jpeg"), frameByte: 5, bytes + bytes)
    var png = try Fixture.data("pngsuite/basn6a08.png")
    png.replaceSubrange(16..<24, with: FileSurgery.bytes(side, count: 4) + FileSurgery.bytes(side, count: 4))
    for (name, file) in [("jpeg", jpeg), ("png", png)] {
      #expect(throws: ImageDecodingError.sideTooLong(size, limit: 16_384)) {
        try decoder(name).decode(file, options: DecodingOptions(size: .fit(width: 1, height: 1)))
      }
      let limits = ImageLimits(pixelCount: 1_000_000, sideLength: 100_000)
      #expect(throws: ImageDecodingError.tooManyPixels(size, limit: 1_000_000)) {
        try decoder(name).decode(file, options: DecodingOptions(limits: limits))
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
    #expect(throws: ImageDecodingError.invalidTargetSize(size)) {
      try decoder(name).decode(Fixture.data(name), options: DecodingOptions(size: size))
    }
  }

  @Test(arguments: names, sizes)
  func `a decode cancelled before it starts throws`(_ name: String, _ size: TargetSize) throws {
    #expect(throws: ImageDecodingError.cancelled) {
      try decoder(name).decode(Fixture.data(name), options: DecodingOptions(size: size, isCancelled: { true }))
    }
  }

  private func decoder(_ name: String) -> any ImageDecoder {
    name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
  }
}
