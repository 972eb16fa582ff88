#if !IMAGEIO
import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct WebPPartTests {
  private static let stills = ["lossy", "lossless", "alpha", "alpha-lossless"]

  @Test(arguments: stills)
  func `the header of a cut file is known, as for other formats`(_ name: String) throws {
    let file = try FormatFixture.data("\(name).webp")
    let whole = try #require(try WebPDecoder().probe(file, isComplete: true))
    let cut = file.prefix(file.count * 3 / 4)
    #expect(try WebPDecoder().probe(cut, isComplete: true) == whole)
    #expect(throws: ImageDecodingError.truncated(.webp)) { try WebPDecoder().decode(cut, options: DecodingOptions()) }
    let image = try WebPDecoder().decode(cut, options: DecodingOptions(allowsPartialImage: true))
    #expect(image.isPartial && image.size == whole.pixelSize)
    #expect((0..<image.size.width).contains { image.bitmap.color($0, 0).w > 0 }, "the first rows are there")
    #expect(throws: ImageDecodingError.truncated(.webp)) { try WebPDecoder().probe(file.prefix(18), isComplete: true) }
  }

  @Test(arguments: ["lossy-animated", "alpha-animated"])
  func `a cut animation plays its whole frames`(_ name: String) throws {
    let file = try FormatFixture.data("\(name).webp")
    let whole = try frames(file, DecodingOptions())
    let options = DecodingOptions(allowsPartialImage: true)
    for missing in [3, 60, file.count / 2] {
      let cut = file.dropLast(missing)
      #expect(throws: ImageDecodingError.truncated(.webp)) { try frames(cut, DecodingOptions()) }
      let shown = try frames(cut, options)
      #expect(shown.count < whole.count && !shown.isEmpty)
      for (frame, same) in zip(shown, whole) { #expect(frame.largestDifference(to: same) == 0) }
      #expect(try WebPDecoder().probe(cut, isComplete: true)?.frameCount == shown.count)
    }
    let image = try WebPDecoder().image(from: file.dropLast(3), options: options)
    #expect(image.isPartial && image.animation?.animation.frameCount == whole.count - 1)
  }

  @Test func `a chunk of an odd length in front of the frames is padded`() throws {
    let image = try Fixture.data("cases/webp-vp8l-alpha-bit-off.webp")
    let size = try #require(try WebPDecoder().probe(image, isComplete: true)).storedSize
    let frame = WebPSample.frame(of: image.dropFirst(12), size)
    for other in [[], [1], [1, 2]] as [[UInt8]] {
      let file = WebPSample.animation([frame, frame, frame], canvas: size, after: other)
      #expect(try frames(file, DecodingOptions()).count == 3)
      #expect(try frames(file.dropLast(3), DecodingOptions(allowsPartialImage: true)).count == 2)
    }
  }

  private func frames(_ file: Data, _ options: DecodingOptions) throws -> [Bitmap] {
    let reader = try WebPDecoder().frameReader(for: file, options: options)
    var frames: [Bitmap] = []
    while let frame = try reader.nextFrame() { frames.append(frame.bitmap) }
    return frames
  }
}
#endif
