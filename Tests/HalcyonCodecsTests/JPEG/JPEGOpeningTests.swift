#if !IMAGEIO
import Foundation
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Files that are opened to decode many regions of them.
@Suite(.integrationTest)
struct JPEGOpeningTests {
  private static let several = [
    "progressive", "default-progressive", "default-scans", "made-440-progressive", "s1x1-444-progressive",
    "s2x1-422-progressive", "s2x1-422-progressive-restarts",
  ].map { "jpeg/peacock.\($0).jpeg" }

  private func scanCount(_ file: Data) -> Int {
    file.withUnsafeBytes { bytes in
      guard var segments = JPEGSegments(bytes) else { return 0 }
      var count = 0
      while let segment = segments.next() { count += segment.marker == JPEGSegments.startOfScan ? 1 : 0 }
      return count
    }
  }

  @Test(arguments: several + Fixture.jpegNames)
  func `an opened file has one scan, and the pixels and properties of the original`(_ name: String) throws {
    for orientation in [1, 6] {
      let file = FileSurgery.jpeg(try Fixture.data(name), orientation: orientation)
      let opened = try JPEGDecoder().opened(file, limits: ImageLimits())
      #expect(scanCount(opened.file) == 1)
      #expect((opened.file == file) == (scanCount(file) == 1))
      let whole = try JPEGDecoder().decode(file, options: DecodingOptions())
      for region in [
        nil, PixelArea(left: 30, top: 20, width: 40, height: 41), PixelArea(left: 3, top: 2, width: 9, height: 9),
      ] {
        let image = try opened.decoder.decode(opened.file, options: DecodingOptions(region: region))
        let expected = try region.map { try whole.bitmap.with(BitmapGeometry($0)) } ?? whole.bitmap
        #expect(image.bitmap.largestDifference(to: expected) == 0 && image.info == whole.info)
      }
    }
  }

  @Test func `the decoder of an opened file remembers where its parts are`() throws {
    let file = try JPEGEncoder().encode(Bitmap.noise(457, 333), options: EncodingOptions(quality: 1))
    let (opened, decoder) = try JPEGDecoder().opened(file, limits: ImageLimits())
    _ = try decoder.decode(opened, options: DecodingOptions(region: PixelArea(left: 0, top: 300, width: 9, height: 9)))
    let index = try #require((decoder as? JPEGDecoder)?.index)
    #expect(index.place(before: .max)?.unit ?? 0 > 0)
    let other = try JPEGDecoder().opened(file, limits: ImageLimits()).decoder
    #expect((other as? JPEGDecoder)?.index !== index)
  }

  @Test func `a damaged file of several scans is left as it is`() throws {
    let file = try Fixture.data("jpeg/peacock.default-progressive.jpeg").dropLast(500)
    let (opened, decoder) = try JPEGDecoder().opened(file, limits: ImageLimits())
    #expect(opened == file && (decoder as? JPEGDecoder)?.index == nil)
  }

  @Test func `a file of several scans with a gain map is left as it is`() throws {
    let light = try Bitmap.lit(96, 64) { column, _ in column < 48 ? SIMD4(3, 3, 3, 1) : SIMD4(0.2, 0.2, 0.2, 1) }
    let file = try JPEGEncoder(isProgressive: true).encode(light, gainMap: nil, options: EncodingOptions())
    try #require(scanCount(file) > 1)
    let (opened, decoder) = try JPEGDecoder().opened(file, limits: ImageLimits())
    #expect(opened == file)
    var options = DecodingOptions()
    options.dynamicRange = .high
    #expect(try decoder.decode(opened, options: options).bitmap.dynamicRange == .high)
  }

  @Test func `opening a file of several scans is cancelled, and within the limits`() throws {
    let file = try Fixture.data("jpeg/peacock.default-progressive.jpeg")
    #expect(throws: CancellationError.self) {
      try CancellationFlag.run(cancelledBy: { true }) { try JPEGDecoder().opened(file, limits: ImageLimits()) }
    }
    #expect(throws: ImageDecodingError.self) { try JPEGDecoder().opened(file, limits: ImageLimits(pixelCount: 100)) }
    #expect(throws: ImageDecodingError.truncated(.jpeg)) {
      try JPEGDecoder().opened(file.prefix(30), limits: ImageLimits())
    }
  }
}
#endif
