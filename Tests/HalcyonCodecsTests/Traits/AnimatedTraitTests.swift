#if AVIF || JXL
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct AnimatedTraitTests {
  #if AVIF
  @Test func `an AVIF sequence gives its frames in order`() throws {
    let file = try Fixture.data("avif/colors-animated-8bpc.avif")
    let reader = try AVIFDecoder().frameReader(for: file, options: DecodingOptions(size: .fit(width: 30, height: 30)))
    #expect(reader.animation == AnimationInfo(frameCount: 5, loopCount: 1))
    let frames = try Self.frames(reader)
    let colors = [Color(0, 0, 0, 255), Color(0, 0, 255, 255), Color(0, 128, 0, 255), Color(255, 0, 0, 255)]
    for (frame, color) in zip(frames, colors) {
      #expect(frame.bitmap.size == PixelSize(width: 30, height: 30))
      let distance = frame.bitmap.color(3, 3) &- color
      #expect((0..<4).allSatisfy { abs(distance[$0]) < 8 }, "\(frame.bitmap.color(3, 3))")
      #expect(frame.duration > .milliseconds(33) && frame.duration < .milliseconds(34))
    }
    #expect(frames.count == 5)
    try reader.rewind()
    let again = try Self.frames(reader)
    #expect(zip(frames, again).allSatisfy { $0.bitmap.largestDifference(to: $1.bitmap) == 0 })
  }

  @Test func `a sequence in a file of a still image is left out, and told`() throws {
    var file = try Fixture.data("avif/colors-animated-8bpc.avif")
    file.replaceSubrange(8..<12, with: "avif".utf8)
    let info = try AVIFDecoder().probe(file, isComplete: true)
    #expect(info?.frameCount == 1)
    #expect(info?.droppedContent == [.frames])
  }

  @Test func `the depth track of a sequence is not used as alpha`() throws {
    let file = try Fixture.data("avif/colors-animated-8bpc-depth-exif-xmp.avif")
    let image = try AVIFDecoder().decode(file, options: DecodingOptions())
    #expect(image.info.frameCount == 5)
    #expect(!image.info.hasAlpha && image.bitmap.isOpaque)
    #expect(image.info.droppedContent == [.depthMap])
  }
  #endif

  #if JXL && !IMAGEIO
  @Test func `an animated JPEG XL gives its frames in order`() throws {
    let file = try Fixture.data("jxl/blending__cropped_traffic_light.jxl")
    let reader = try JPEGXLDecoder().frameReader(for: file, options: DecodingOptions())
    #expect(reader.animation == AnimationInfo(frameCount: 4, loopCount: nil))
    let frames = try Self.frames(reader)
    #expect(frames.map(\.duration) == [.seconds(3), .seconds(1), .seconds(3), .seconds(1)])
    for index in 1..<4 { #expect(frames[index].bitmap.largestDifference(to: frames[index - 1].bitmap) > 100) }
    try reader.rewind()
    #expect(try reader.nextFrame()?.bitmap.largestDifference(to: frames[0].bitmap) == 0)
  }

  @Test func `the frame count is known once the file is complete`() throws {
    let file = try Fixture.data("jxl/blending__cropped_traffic_light.jxl")
    #expect(try JPEGXLDecoder().probe(file.prefix(file.count / 2), isComplete: false) == nil)
    #expect(try JPEGXLDecoder().probe(file, isComplete: false)?.frameCount == 4)
  }
  #endif

  private static func frames(_ reader: any ImageFrameReader) throws -> [AnimationFrame] {
    var frames: [AnimationFrame] = []
    while let frame = try reader.nextFrame() { frames.append(frame) }
    return frames
  }
}
#endif
