import Foundation
@testable import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Files that lack their end but no pixel.
@Suite(.integrationTest)
struct MissingEndTests {
  #if IMAGEIO
  // ImageIO does not say whether it has all pixels.
  private static let jpegs: [String] = []
  #else
  private static let jpegs = [
    "default", "progressive", "default-progressive", "grayscale", "made-cmyk", "made-410", "s1x3",
  ]
  #endif
  /// A file and how many of its last bytes are not pixels.
  private static let stills: [(name: String, byteCount: Int)] =
    jpegs.map { ("jpeg/peacock.\($0).jpeg", 2) }
    + ["jpeg/peacock.png", "pngsuite/basi2c08.png", "pngsuite/basn3p04.png", "pngsuite/s01i3p01.png"].map { ($0, 12) }
    + ["still", "interlaced", "transparent"].map { ("formats/\($0).gif", 2) }
    + [("formats/rle8.bmp", 2)]
  private static let animations = [
    ("solid.gif", 2), ("keep.gif", 2), ("restore.gif", 2), ("keep-over.apng", 12), ("restore-source.apng", 12),
  ]

  @Test(
    arguments: stills + animations.map { ("formats/\($0.0)", $0.1) }, [TargetSize.original, .fit(width: 9, height: 9)])
  func `a file without its end is whole`(_ file: (name: String, byteCount: Int), _ size: TargetSize) throws {
    let bytes = try Fixture.data(file.name)
    let decoder = try StandardCodecs.decoder(of: bytes)
    let whole = try decoder.decode(bytes, options: DecodingOptions(size: size))
    for missing in 1...file.byteCount {
      for allowsPartialImage in [false, true] {
        let options = DecodingOptions(size: size, allowsPartialImage: allowsPartialImage)
        let image = try decoder.decode(bytes.dropLast(missing), options: options)
        // Scans that hardly matter at a small size are left out of complete files only.
        let tolerance = file.name.contains("progressive") && size != .original ? 6 : 0
        #expect(image.bitmap.largestDifference(to: whole.bitmap) <= tolerance, "\(missing) bytes are missing")
        #expect(!image.isPartial && image.bitmap.isOpaque == whole.bitmap.isOpaque && image.info == whole.info)
      }
    }
  }

  @Test(arguments: stills.filter { !$0.name.contains("s01i3p01") })
  func `a file without its last pixels is truncated`(_ file: (name: String, byteCount: Int)) throws {
    let bytes = try Fixture.data(file.name)
    let format = try #require(ImageFormat(sniffing: bytes))
    let cut = bytes.prefix(bytes.count * 3 / 4)
    let decoder = try StandardCodecs.decoder(of: bytes)
    #expect(throws: ImageDecodingError.truncated(format)) { try decoder.decode(cut, options: DecodingOptions()) }
    #expect(try decoder.decode(cut, options: DecodingOptions(allowsPartialImage: true)).isPartial)
  }

  @Test(arguments: animations)
  func `an animation without its end has all frames`(_ name: String, _ byteCount: Int) throws {
    let bytes = try FormatFixture.data(name)
    let whole = try frames(of: bytes, name)
    for missing in 1...byteCount {
      let remaining = try frames(of: bytes.dropLast(missing), name)
      #expect(remaining.count == whole.count)
      for (frame, same) in zip(remaining, whole) { #expect(frame.largestDifference(to: same) == 0) }
    }
  }

  @Test(arguments: animations)
  func `an animation that ends in its last frame needs the option`(_ name: String, _ byteCount: Int) throws {
    let bytes = try FormatFixture.data(name)
    let cut = bytes.dropLast(byteCount + 40)
    let decoder = try FormatFixture.animatedDecoder(name)
    let truncated = ImageDecodingError.truncated(try FormatFixture.format(name))
    #expect(throws: truncated) { try decoder.decode(cut, options: DecodingOptions()) }
    #expect(throws: truncated) { try frames(of: cut, name) }
    let options = DecodingOptions(allowsPartialImage: true)
    let image = try decoder.decode(cut, options: options)
    let first = try decoder.decode(bytes, options: DecodingOptions()).bitmap
    #expect(image.isPartial && image.bitmap.largestDifference(to: first) == 0)
    let whole = try frames(of: bytes, name)
    let shown = try frames(of: cut, name, options: options)
    #expect(shown.count == whole.count || shown.count == whole.count - 1)
    for (frame, same) in zip(shown, whole.dropLast()) { #expect(frame.largestDifference(to: same) == 0) }
  }

  @Test func `a progressive image without its last scan is truncated`() throws {
    let bytes = try Fixture.data("jpeg/peacock.default-progressive.jpeg")
    let scan = try #require(bytes.lastRange(of: Data([0xFF, 0xDA]))).lowerBound
    for cut in [bytes.prefix(scan), bytes.prefix(scan) + [0xFF]] {
      #expect(throws: ImageDecodingError.truncated(.jpeg)) {
        try JPEGDecoder().decode(cut, options: DecodingOptions())
      }
      #expect(try JPEGDecoder().decode(cut, options: DecodingOptions(allowsPartialImage: true)).isPartial)
    }
  }

  @Test(arguments: ["still.gif", "solid.gif"], [[0xFE], [0xFF, 11]] as [[UInt8]])
  func `a GIF that ends in a comment is whole, and one that ends where a frame is announced is not`(
    _ name: String, _ label: [UInt8]
  ) throws {
    let file = try FormatFixture.data(name)
    let whole = try frames(of: file, name)
    let comment = Data([0x21] + label + "a comment".utf8)
    for count in [2, 3, 6, comment.count] {
      let cut = file.dropLast() + comment.prefix(count)
      let remaining = try frames(of: cut, name)
      #expect(remaining.count == whole.count)
      #expect(try !GIFDecoder().decode(cut, options: DecodingOptions()).isPartial)
    }
    #expect(throws: ImageDecodingError.truncated(.gif)) {
      try GIFDecoder().decode(Data("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0] + comment, options: DecodingOptions())
    }
    for announced in [[0x21], [0x21, 0xF9], [0x21, 0xF9, 4, 0]] as [[UInt8]] {
      #expect(throws: ImageDecodingError.truncated(.gif)) { try frames(of: file.dropLast() + announced, name) }
    }
  }

  @Test func `a still WebP image is whole without the chunks that follow it, but not without its orientation`() throws {
    let bytes = try FormatFixture.data("lossy.webp")
    var announced = bytes
    announced[4] &+= 20
    let image = try WebPDecoder().decode(announced, options: DecodingOptions())
    let whole = try WebPDecoder().decode(bytes, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: whole.bitmap) == 0)
    let turned = try FormatFixture.data("turned.webp")
    #expect(throws: ImageDecodingError.truncated(.webp)) {
      try WebPDecoder().decode(turned.dropLast(4), options: DecodingOptions())
    }
  }

  private func frames(
    of file: Data, _ name: String, options: DecodingOptions = DecodingOptions()
  ) throws -> [Bitmap] {
    let reader = try FormatFixture.animatedDecoder(name).frameReader(for: file, options: options)
    var bitmaps: [Bitmap] = []
    while let frame = try reader.nextFrame() { bitmaps.append(frame.bitmap) }
    return bitmaps
  }
}

extension Data {
  fileprivate func lastRange(of bytes: Data) -> Range<Int>? { range(of: bytes, options: .backwards) }
}
