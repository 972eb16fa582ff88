import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct JPEGDecoderTests {
  @Test(arguments: Fixture.jpegNames.filter { !$0.contains("gray") && !$0.contains("cmyk") })
  func `every chroma subsampling decodes close to the original`(_ name: String) throws {
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let image = try JPEGDecoder().decode(Fixture.data(name), options: DecodingOptions()).bitmap
    #expect(image.isOpaque)
    #expect(image.difference(toAveraged: original, geometry: TargetSize.original.geometry(for: original.size)) < 8)
  }

  #if !IMAGEIO
  /// As of phones with 200 megapixels, at the limit of 100.
  @Test func `a baseline file may have more pixels than the limit if it is decoded smaller`() throws {
    func decode(_ file: Data, _ size: TargetSize, share: Double) throws -> DecodedImage {
      let info = try #require(try JPEGDecoder().probe(file, isComplete: true))
      let limits = ImageLimits(pixelCount: Int(Double(info.storedSize.pixelCount) * share))
      return try JPEGDecoder().decode(file, options: DecodingOptions(size: size, limits: limits))
    }
    let small = TargetSize.fit(width: 20, height: 20)
    let baseline = try Fixture.data("jpeg/peacock.default.jpeg")
    let image = try decode(baseline, small, share: 0.45)
    let same = try JPEGDecoder().decode(baseline, options: DecodingOptions(size: small)).bitmap
    #expect(image.bitmap.largestDifference(to: same) == 0)
    #expect(throws: ImageDecodingError.self) { try decode(baseline, .original, share: 0.45) }
    #expect(throws: ImageDecodingError.self) { try decode(baseline, small, share: 0.35) }
    // All coefficients of these are in memory.
    let progressive = try Fixture.data("jpeg/peacock.default-progressive.jpeg")
    #expect(throws: ImageDecodingError.self) { try decode(progressive, small, share: 0.9) }
    var scans = baseline
    let scan = try #require(scans.firstRange(of: Data([0xFF, 0xDA, 0, 12, 3])))
    scans[scan.upperBound - 1] = 1
    #expect(throws: ImageDecodingError.self) { try decode(scans, small, share: 0.9) }
  }
  #endif

  @Test func `CMYK is converted to RGB`() throws {
    let file = try Fixture.data("jpeg/peacock.made-cmyk.jpeg")
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let image = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(image.difference(toAveraged: original, geometry: TargetSize.original.geometry(for: original.size)) < 12)
  }

  @Test(.slow, arguments: [(1, 1), (2, 1), (1, 40), (7, 5), (17, 33), (65, 3), (15, 16), (129, 127), (333, 9)])
  func `odd dimensions decode at every target size`(_ width: Int, _ height: Int) throws {
    let file = try JPEGEncoder().encode(Bitmap.gradient(width, height), options: EncodingOptions(quality: 1))
    let full = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
    for side in 1...max(width, height) {
      for size in [TargetSize.fit(width: side, height: .max), .fill(width: side, height: (side + 1) / 2)] {
        let small = try JPEGDecoder().decode(file, options: DecodingOptions(size: size)).bitmap
        let geometry = size.geometry(for: full.size)
        try #require(small.size == geometry.outputSize)
        #expect(small.difference(toAveraged: full, geometry: geometry) < 6, "\(size)")
      }
    }
  }

  @Test func `a crop at full resolution is not resampled`() throws {
    let file = try Fixture.data("jpeg/peacock.s1x1-444.jpeg")
    let full = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
    let part = try JPEGDecoder().decode(file, options: DecodingOptions(size: .fill(width: 50, height: 75))).bitmap
    let cut = try Bitmap.painted(50, 75) { full.color($0 + 25, $1) }
    #expect(part.largestDifference(to: cut) <= 2)
  }
}
