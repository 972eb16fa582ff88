import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Image sequences over a system whose frames each test chooses.
@Suite(.integrationTest)
struct SystemSequenceReaderTests {
  private static func reader(_ frames: [Bitmap], size: TargetSize = .original) throws -> SystemSequenceReader {
    let file = try Fixture.data("avif/colors-animated-8bpc.avif")
    let parsed = try file.withUnsafeBytes {
      try HEIFImageHeaderParser.parse(Bytes($0), format: .avif, isComplete: true, prefersSequence: true)
    }
    let header = try #require(parsed)
    return SystemSequenceReader(
      file: file, header: header,
      plan: try DecodingPlan(info: header.info(.avif), options: DecodingOptions(size: size)),
      decoder: SystemDecoder(
        reader: SequenceReader(frames: frames), graphs: ResampleGraphCache(), isCancelled: { false },
        implementation: .swift))
  }

  private static func painted(_ count: Int) throws -> [Bitmap] {
    try (0..<count).map { number in
      try Bitmap.painted(150, 150) { _, _ in Color(number * 40, 255, 0, 255) }
    }
  }

  @Test func `frames are decoded in order, with the durations in the file`() throws {
    let reader = try Self.reader(Self.painted(5), size: .fit(width: 30, height: 30))
    #expect(reader.animation == AnimationInfo(frameCount: 5, loopCount: 1))
    for _ in 0..<2 {
      for number in 0..<5 {
        let frame = try #require(try reader.nextFrame())
        #expect(frame.bitmap.size == PixelSize(width: 30, height: 30))
        #expect(frame.bitmap.color(3, 3) == Color(number * 40, 255, 0, 255))
        #expect(frame.duration > .milliseconds(33) && frame.duration < .milliseconds(34))
      }
      #expect(try reader.nextFrame() == nil)
      reader.rewind()
    }
  }

  @Test(arguments: [1, 4, 6])
  func `a sequence of which the system finds another number of frames is a still image`(count: Int) throws {
    let reader = try Self.reader(Self.painted(count))
    #expect(reader.animation.frameCount == 1)
    #expect(try reader.nextFrame()?.bitmap.color(3, 3) == Color(0, 255, 0, 255))
    #expect(try reader.nextFrame() == nil)
  }

  @Test func `a damaged table of durations gives no durations`() throws {
    let file = try Fixture.data("avif/colors-animated-8bpc.avif")
    var damaged = file
    let table = try #require(file.range(of: Data("stts".utf8)))
    damaged.replaceSubrange(table.upperBound + 4..<table.upperBound + 8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    for count in stride(from: 0, to: damaged.count, by: 7) {
      _ = try? damaged.prefix(count).withUnsafeBytes {
        try HEIFImageHeaderParser.parse(Bytes($0), format: .avif, isComplete: true, prefersSequence: true)
      }
    }
    #expect(FrameDurationRuns(media: nil).seconds(ofFrame: 3) == 0)
  }
}
