#if !IMAGEIO
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// WebP files whose structure takes more work than their pixels.
@Suite(.integrationTest)
struct WebPChunkTests {
  private static let side = 300

  private static func photo() throws -> Data {
    var state: UInt64 = 1
    let bitmap = try Bitmap.painted(side, side) { _, _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return Color(Int(state >> 40 & 255), Int(state >> 48 & 255), Int(state >> 56 & 255), 255)
    }
    return try WebPEncoder().encode(bitmap, options: EncodingOptions(quality: 0.9))
  }

  /// The photo in the extended format, after `count` empty chunks.
  private static func file(emptyChunks count: Int) throws -> Data {
    let little: [UInt8] = [UInt8((side - 1) & 255), UInt8((side - 1) >> 8), 0]
    var chunks: [UInt8] = Array("WEBPVP8X".utf8)
    chunks += [10, 0, 0, 0, 0, 0, 0, 0] as [UInt8]
    chunks += little
    chunks += little
    for _ in 0..<count {
      chunks += Array("JUNK".utf8)
      chunks += [0, 0, 0, 0] as [UInt8]
    }
    chunks += Array(try photo().dropFirst(12))
    var file: [UInt8] = Array("RIFF".utf8)
    file += Array(FileSurgery.bytes(chunks.count, count: 4).reversed())
    file += chunks
    return Data(file)
  }

  @Test func `at most a thousand chunks are read besides frames`() throws {
    let plain = try WebPDecoder().decode(Self.photo(), options: DecodingOptions()).bitmap
    let few = try WebPDecoder().decode(Self.file(emptyChunks: 900), options: DecodingOptions()).bitmap
    #expect(few.largestDifference(to: plain) == 0)
    let many = try Self.file(emptyChunks: 100_000)
    let refusal = ImageDecodingError.unsupportedFeature(.webp, feature: "over 1000 chunks besides its frames")
    #expect(throws: refusal) { try WebPDecoder().decode(many, options: DecodingOptions()) }
    #expect(throws: refusal) { try WebPDecoder().probe(many.prefix(50_000), isComplete: false) }
    let size = PixelSize(width: 1, height: 1)
    let frames = Array(repeating: WebPSample.frame(of: Data("VP8 ".utf8), size), count: 1200)
    #expect(try WebPDecoder().probe(WebPSample.animation(frames, canvas: size), isComplete: true)?.frameCount == 1200)
  }

  @Test func `a small file is decoded in steps between which it can be cancelled`() throws {
    let file = try Self.photo()
    #expect(file.count < 256 << 10)
    let polls = Polls()
    _ = try WebPDecoder().decode(file, options: DecodingOptions(isCancelled: { polls.next() < 0 }))
    #expect(polls.next() > 16)
    let again = Polls()
    #expect(throws: ImageDecodingError.cancelled) {
      try WebPDecoder().decode(file, options: DecodingOptions(isCancelled: { again.next() > 8 }))
    }
  }
}
#endif
