import HalcyonImaging
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct DisplayP3Tests {
  private static let wideFiles = ["display-p3.png", "display-p3.jpeg", "display-p3.webp", "display-p3.tiff"]

  @Test(arguments: wideFiles)
  func `a wide file keeps its values in Display P3`(_ name: String) throws {
    let image = try decode(name, .source)
    #expect(image.bitmap.colorSpace == .displayP3 && image.info.droppedContent == [])
    // Its converted pixels equal Little CMS's, which clips to sRGB in the same way.
    let expected = try decode(name == "display-p3.jpeg" ? "display-p3-jpeg.expected.png" : "display-p3.expected.png")
    let converted = try image.bitmap.converted(to: .sRGB)
    #expect(converted.meanDifference(to: expected.bitmap) < 0.6)
    #expect(converted.largestDifference(to: expected.bitmap) <= 4)
    #expect(try decode(name).bitmap.colorSpace == .sRGB)
    #expect(image.bitmap.largestDifference(to: expected.bitmap) > 10)
  }

  @Test(arguments: [
    ("adobe-rgb.png", ColorSpace.displayP3), ("srgb.png", .sRGB), ("grey.png", .sRGB), ("inks.jpeg", .sRGB),
  ])
  func `a file gets the space that its gamut needs`(_ name: String, _ space: ColorSpace) throws {
    #expect(try decode(name, .source).bitmap.colorSpace == space)
    #expect(try decode(name, .displayP3).bitmap.colorSpace == .displayP3)
    #expect(try decode(name, .sRGB).bitmap.colorSpace == .sRGB)
    let plain = try decode(name).bitmap
    let wide = try decode(name, .displayP3).bitmap
    // Colours inside the sRGB gamut stay the same.
    guard space == .sRGB else { return }
    let back = try wide.converted(to: .sRGB)
    #expect(back.largestDifference(to: plain) <= 12 && back.meanDifference(to: plain) < 0.5)
  }

  @Test func `the colours of wide files without a profile are wide by their code points`() throws {
    let plain = try Fixture.data("pngsuite/basn2c08.png")
    for (primaries, space) in [
      (1, ColorSpace.sRGB), (5, .sRGB), (6, .sRGB), (9, .displayP3), (11, .displayP3), (12, .displayP3),
    ] {
      let file = FileSurgery.png(plain, inserting: "cICP", [UInt8(primaries), 13, 0, 1])
      #expect(try decode(file, .source).bitmap.colorSpace == space, "primaries \(primaries)")
    }
    // The values of the samples are the same in either space.
    let wide = try decode(FileSurgery.png(plain, inserting: "cICP", [12, 13, 0, 1]), .source)
    let narrow = try decode(FileSurgery.png(plain, inserting: "cICP", [1, 13, 0, 1]), .source)
    #expect(wide.bitmap.largestDifference(to: narrow.bitmap) <= 1)
  }

  #if AVIF
  @Test func `wide AVIF is decoded to Display P3`() throws {
    let file = try Fixture.data("avif/colors_text_wcg_sdr_rec2020.avif")
    let wide = try decode(file, .source).bitmap
    #expect(wide.colorSpace == .displayP3)
    let plain = try decode(file).bitmap
    #expect(try wide.converted(to: .sRGB).meanDifference(to: plain) < 2)
    #expect(wide.largestDifference(to: plain) > 40)
  }
  #endif

  #if !IMAGEIO
  @Test(arguments: ["hdr-pq.png", "hdr-pq-interlaced.png"])
  func `high dynamic range is mapped to Display P3`(_ name: String) throws {
    let image = try decode(name, .source)
    #expect(image.bitmap.colorSpace == .displayP3 && image.info.droppedContent == [.highDynamicRange])
    let expected = try decode("hdr-pq-to-p3.expected.png").bitmap
    #expect(image.bitmap.meanDifference(to: expected) < 0.7)
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .jpegXL].filter { StandardCodecs.writable.contains($0) })
  func `encoded files state the space, which survives a round trip`(_ format: ImageFormat) throws {
    let bitmap = try decode("display-p3.png", .source).bitmap
    let file = try StandardCodecs.encoder(for: format).encode(bitmap, options: EncodingOptions(quality: 1))
    let back = try decode(file, .source).bitmap
    #expect(back.colorSpace == .displayP3)
    // The format loses the same in sRGB.
    let values = try Bitmap(size: bitmap.size, isOpaque: bitmap.isOpaque) { pixels in
      bitmap.withUnsafeBytes { pixels.copyMemory(from: $0) }
    }
    let narrow = try StandardCodecs.encoder(for: format).encode(values, options: EncodingOptions(quality: 1))
    #expect(try back.largestDifference(to: decode(narrow).bitmap) <= 1)
    let plain = try decode(file).bitmap
    #expect(plain.colorSpace == .sRGB)
    #expect(try plain.meanDifference(to: back.converted(to: .sRGB)) < 1)
    let metadata = try StandardCodecs.decoder(for: format).metadata(of: file)
    #expect(metadata.hasWideGamut)
    if [.jpeg, .png, .webp].contains(format) { #expect(metadata.colorProfileName == "Display P3") }
    // Its code points too, for readers without colour management.
    if format == .png { #expect(file.firstRange(of: Data("cICP".utf8) + [12, 13, 0, 1]) != nil) }
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webp])
  func `a profile is written beside metadata`(_ format: ImageFormat) throws {
    let bitmap = try decode("display-p3.png", .source).bitmap
    let source = ImageMetadata(info: ImageInfo(format: .jpeg, storedSize: bitmap.size), artist: "A", copyright: "B")
    let file = try StandardCodecs.encoder(for: format).encode(bitmap, options: EncodingOptions(metadata: source))
    let metadata = try StandardCodecs.decoder(for: format).metadata(of: file)
    #expect(metadata.colorProfileName == "Display P3" && metadata.copyright == "B" && metadata.artist == "A")
    #expect(try decode(file, .source).bitmap.colorSpace == .displayP3)
  }
  #endif

  @Test func `files in sRGB have no profile`() throws {
    let bitmap = try decode("srgb.png").bitmap
    for format in [ImageFormat.jpeg, .png] {
      let file = try StandardCodecs.encoder(for: format).encode(bitmap, options: EncodingOptions())
      #expect(try StandardCodecs.decoder(for: format).probe(file, isComplete: true)?.hasColorProfile == false)
    }
  }

  @Test func `of several profiles of a WebP file the first counts`() throws {
    let file = try Fixture.data("color/display-p3.webp")
    let image = try #require(file.firstRange(of: Data("VP8L".utf8)) ?? file.firstRange(of: Data("VP8 ".utf8)))
    let chunks = file[12..<image.lowerBound] + WebPChunks.encoded("ICCP", Data(count: 200)) + file[image.lowerBound...]
    #expect(try decode(WebPChunks.file(chunks), .source).bitmap.colorSpace == .displayP3)
  }

  @Test func `GIF gets sRGB`() throws {
    let bitmap = try decode("display-p3.png", .source).bitmap
    let file = try StandardCodecs.encoder(for: .gif).encode(bitmap, options: EncodingOptions())
    let plain = try StandardCodecs.encoder(for: .gif).encode(bitmap.converted(to: .sRGB), options: EncodingOptions())
    #expect(file == plain)
    #expect(try decode(file, .displayP3).bitmap.colorSpace == .displayP3)
  }

  @Test func `the background of JPEG is a colour of the space`() throws {
    let clear = try Bitmap(size: PixelSize(width: 16, height: 16), isOpaque: false, colorSpace: .displayP3) { _ in }
    let options = EncodingOptions(quality: 1, background: PixelColor(red: 255, green: 0, blue: 0))
    let file = try StandardCodecs.encoder(for: .jpeg).encode(clear, options: options)
    let pixel = try decode(file, .source).bitmap.color(8, 8)
    #expect(abs(pixel.x - 234) <= 4 && abs(pixel.y - 51) <= 4, "\(pixel)")
  }

  @Test func `frames of an animated PNG have the space`() throws {
    let profile = try Fixture.data("color/display-p3.png")
    let start = try #require(profile.firstRange(of: Data("iCCP".utf8)))
    let length = profile[start.lowerBound - 4..<start.lowerBound].reduce(0) { $0 << 8 | Int($1) }
    let content = Array(profile[start.upperBound..<start.upperBound + length])
    let plain = try Fixture.data("formats/keep-over.apng")
    let file = FileSurgery.png(plain, inserting: "iCCP", content)
    let options = DecodingOptions(colorSpace: .source)
    let reader = try PNGDecoder().frameReader(for: file, options: options)
    let expected = try PNGDecoder().frameReader(for: plain, options: DecodingOptions())
    while let frame = try reader.nextFrame() {
      #expect(frame.bitmap.colorSpace == .displayP3)
      #expect(try frame.bitmap.largestDifference(to: expected.nextFrame()?.bitmap ?? frame.bitmap) <= 1)
    }
  }

  private func decode(_ name: String, _ space: TargetColorSpace = .sRGB) throws -> DecodedImage {
    try decode(Fixture.data("color/\(name)"), space)
  }

  private func decode(_ file: Data, _ space: TargetColorSpace = .sRGB) throws -> DecodedImage {
    try DecodedImage(data: file, colorSpace: space)
  }
}

extension Bitmap {
  /// The mean difference of a channel to another bitmap of the same size.
  fileprivate func meanDifference(to other: Bitmap) -> Double {
    guard size == other.size else { return .infinity }
    return withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in
        Double(zip(mine, theirs).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(mine.count)
      }
    }
  }
}
