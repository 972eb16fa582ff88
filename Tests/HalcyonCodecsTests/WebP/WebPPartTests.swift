#if !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

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
    // Not one row.
    let start = file.prefix(name == "alpha" ? 100 : 40)
    #expect(try WebPDecoder().probe(start, isComplete: true)?.storedSize == whole.storedSize)
    #expect(throws: ImageDecodingError.truncated(.webp)) {
      try WebPDecoder().decode(start, options: DecodingOptions(allowsPartialImage: true))
    }
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

  @Test(arguments: [(1, nil), (2, .milliseconds(200))] as [(Int, Duration?)])
  func `only an animation of several frames has a duration`(_ count: Int, _ duration: Duration?) throws {
    let image = try Fixture.data("cases/webp-vp8l-alpha-bit-off.webp")
    let size = try #require(try WebPDecoder().probe(image, isComplete: true)).storedSize
    let frames = Array(repeating: WebPSample.frame(of: image.dropFirst(12), size), count: count)
    #expect(try ImageMetadata(of: WebPSample.animation(frames, canvas: size)).duration == duration)
  }

  @Test func `of several Exif chunks the first counts, with the prefix of JPEG files or without it`() throws {
    let chunks = try FormatFixture.data("alpha-animated.webp").dropFirst(12)
    let turned = WebPChunks.encoded("EXIF", Data("Exif\0\0".utf8) + FileSurgery.exif(orientation: 3))
    let camera = WebPChunks.encoded("EXIF", ExifSample.camera())
    let metadata = try ImageMetadata(of: WebPChunks.file(chunks + turned + camera))
    #expect(metadata.info.orientation == .down)
    #expect(metadata.cameraModel == nil)
    #expect(try ImageMetadata(of: WebPChunks.file(chunks + camera + turned)).cameraModel == "Canon EOS R5")
    let packets = [ExifSample.xmp, "<x/>"].map { WebPChunks.encoded("XMP ", Data($0.utf8)) }
    let described = try ImageMetadata(of: WebPChunks.file(chunks + packets[0] + packets[1]))
    #expect(described.xmp == Data(ExifSample.xmp.utf8), "the first packet, too")
    let other = WebPChunks.encoded("EXIF", Data("none".utf8))
    #expect(try ImageMetadata(of: WebPChunks.file(chunks + other + turned)).info.orientation == .down)
  }

  /// The flags 0x08 for Exif and 0x04 for XMP, beside those of an animation with alpha.
  @Test(arguments: [(1, 0x12), (6, 0x1A)] as [(Int, UInt8)])
  func `without its metadata, the header of a file announces the orientation only`(
    _ orientation: Int, _ flags: UInt8
  ) throws {
    let chunks = try FormatFixture.data("alpha-animated.webp").dropFirst(12)
    let exif = WebPChunks.encoded("EXIF", Data(FileSurgery.exif(orientation: orientation)))
    var file = WebPChunks.file(chunks + exif + WebPChunks.encoded("XMP ", Data(ExifSample.xmp.utf8)))
    file[20] |= 0x0C
    try #require(file[20] == 0x1E)
    #expect(try ImageMetadata.removed(from: file)?.dropFirst(20).first == flags)
  }

  /// Twelve bytes of a RIFF file and the header of the extended format, in which 0x10 is alpha and 0x20 a profile.
  @Test(
    arguments: [("VP8 ", false, nil), ("VP8 ", true, 0x20), ("ALPH", false, 0x10), ("ALPH", true, 0x30)]
      as [(String, Bool, UInt8?)])
  func `the file of a frame has its alpha and the profile of the animation`(
    _ chunk: String, _ hasProfile: Bool, _ flags: UInt8?
  ) throws {
    let image = Data(chunk.utf8) + [2, 0, 0, 0, 7, 8]
    let bytes = Data([9, 9, 9]) + image
    let file = bytes.withUnsafeBytes {
      WebPFrameFile.data($0, chunks: 3..<99, size: PixelSize(width: 3, height: 258), profile: hasProfile ? 0..<3 : nil)
    }
    var expected = Data("WEBP".utf8)
    if let flags { expected += Data("VP8X".utf8) + [10, 0, 0, 0, flags, 0, 0, 0, 2, 0, 0, 1, 1, 0] }
    if hasProfile { expected += Data("ICCP".utf8) + [3, 0, 0, 0, 9, 9, 9, 0] }
    expected += image
    #expect(file == Data("RIFF".utf8) + [UInt8(expected.count), 0, 0, 0] + expected)
  }

  @Test(arguments: [
    (0, FrameDisposal.keep, true), (1, .clear, true), (2, .keep, false), (3, .clear, false), (0xFC, .keep, true),
  ])
  func `a frame has its place and its flags`(_ flags: UInt8, _ disposal: FrameDisposal, _ isBlended: Bool) throws {
    let content: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0, 44, 1, 0, flags, 99]
    try content.withUnsafeBytes { buffer in
      let frame = try #require(WebPFrame(0..<17, in: Bytes(buffer)))
      #expect(frame.area == PixelArea(left: 2, top: 1024, width: 1, height: 1025))
      #expect(frame.duration == .milliseconds(300) && frame.chunks == 16..<17)
      #expect(frame.disposal == disposal && frame.isBlended == isBlended)
      #expect(WebPFrame(0..<15, in: Bytes(buffer)) == nil)
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
