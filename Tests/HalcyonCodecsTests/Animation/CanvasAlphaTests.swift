import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Whether the canvas of an animation is ever transparent, although its frames are opaque.
@Suite(.unitTest)
struct CanvasAlphaTests {
  /// The disposals of the frames, by their numbers in the format; the side of the first frame on a canvas of 2 pixels.
  private typealias Sample = (disposals: [UInt8], side: UInt8, isTransparent: Bool)

  private static let pngs: [Sample] = [
    ([0, 0], 2, false), ([0, 1], 2, true), ([1, 0], 2, true), ([2, 0], 2, true), ([0, 2], 2, false), ([0, 0], 1, true),
  ]
  private static let webPs: [Sample] = [
    ([0, 0], 2, false), ([0, 1], 2, true), ([1, 0], 2, true), ([0, 0], 1, true),
  ]
  private static let gifs: [Sample] = [
    ([1, 1], 2, false), ([0, 1], 2, false), ([1, 2], 2, true), ([2, 1], 2, true), ([3, 1], 2, true),
    ([1, 3], 2, false),
    ([1, 1], 1, true), ([2], 2, false),
  ]

  @Test(arguments: pngs.indices) func `an animated PNG clears its canvas by the disposal of its frames`(_ index: Int)
    throws
  {
    let sample = Self.pngs[index]
    var file = Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10])
    func append(_ type: String, _ content: [UInt8]) {
      let body = Array(type.utf8) + content
      file += FileSurgery.bytes(content.count, count: 4) + body
      file += FileSurgery.bytes(Int(FileSurgery.checksum(body)), count: 4)
    }
    append("IHDR", [0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0])
    append("acTL", [0, 0, 0, UInt8(sample.disposals.count), 0, 0, 0, 3])
    for (number, disposal) in sample.disposals.enumerated() {
      let side = number == 0 ? sample.side : 2
      append(
        "fcTL",
        [0, 0, 0, 0, 0, 0, 0, side, 0, 0, 0, side] + Array(repeating: 0, count: 8) + [0, 1, 0, 10, disposal, 0])
    }
    let animation = try APNGFile(FileBytes(file), canvas: PixelSize(width: 2, height: 2))
    #expect(animation.frameCount == sample.disposals.count && animation.loopCount == 3)
    #expect(animation.hasTransparentCanvas == sample.isTransparent)
  }

  @Test(arguments: webPs.indices)
  func `a WebP animation has alpha if its canvas shows, whatever its header says`(_ index: Int) throws {
    let sample = Self.webPs[index]
    let frames = sample.disposals.enumerated().map { number, disposal in
      let side = number == 0 ? Int(sample.side) : 2
      return WebPSample.frame(of: Data("VP8 ".utf8), PixelSize(width: side, height: side), flags: disposal)
    }
    let file = WebPSample.animation(frames, canvas: PixelSize(width: 2, height: 2))
    let info = try WebPDecoder().probe(file, isComplete: true)
    #expect(info?.frameCount == sample.disposals.count && info?.hasAlpha == sample.isTransparent)
  }

  @Test(arguments: gifs.indices) func `a GIF has alpha if a later frame shows its cleared canvas`(_ index: Int) throws {
    let sample = Self.gifs[index]
    var file = Data("GIF89a".utf8) + [2, 0, 2, 0, 0, 0, 0]
    for (number, disposal) in sample.disposals.enumerated() {
      let side = number == 0 ? sample.side : 2
      file += [0x21, 0xF9, 4, disposal << 2, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, side, 0, side, 0, 0, 2, 1, 0, 0]
    }
    let header = try (file + [0x3B]).withUnsafeBytes { try GIFHeader.parse(Bytes($0), isComplete: true) }
    #expect(header?.frameCount == sample.disposals.count && header?.hasAlpha == sample.isTransparent)
  }
}
