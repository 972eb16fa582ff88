import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow)
struct FrameReaderTests {
  @Test(arguments: [("solid.gif", 3), ("keep.gif", nil), ("lossy-animated.webp", 3), ("keep-over.apng", nil)])
  func `the loop count is the number of plays`(_ name: String, _ count: Int?) throws {
    #expect(try reader(name).animation.loopCount == count)
  }

  @Test(arguments: ["solid.gif", "lossy-animated.webp"])
  func `a frame of 10 ms or less is shown for 100 ms`(_ name: String) throws {
    #expect(try durations(reader(name)) == [50, 100, 100, 120, 200].map { .milliseconds($0) })
  }

  @Test(arguments: FormatFixture.animations)
  func `rewinding restarts with the same frames`(_ name: String) throws {
    let reader = try reader(name)
    let first = try #require(try reader.nextFrame())
    let second = try #require(try reader.nextFrame())
    for _ in 0..<3 {
      try reader.rewind()
      for expected in [first, second] {
        let frame = try #require(try reader.nextFrame())
        #expect(frame.bitmap.largestDifference(to: expected.bitmap) == 0 && frame.duration == expected.duration)
      }
    }
  }

  @Test(arguments: FormatFixture.animations)
  func `the first frame is the still image`(_ name: String) throws {
    let still = try FormatFixture.decoder(name).decode(FormatFixture.data(name), options: DecodingOptions())
    let first = try #require(try reader(name).nextFrame())
    #expect(first.bitmap.largestDifference(to: still.bitmap) <= 1)
    #expect(still.info.droppedContent == [.frames])
  }

  @Test(arguments: FormatFixture.animations)
  func `frames have the target size`(_ name: String) throws {
    let options = DecodingOptions(size: .fit(width: 16, height: 16))
    let reader = try FormatFixture.animatedDecoder(name).frameReader(for: FormatFixture.data(name), options: options)
    let full = try self.reader(name)
    while let frame = try reader.nextFrame(), let whole = try full.nextFrame() {
      #expect(frame.bitmap.size == PixelSize(width: 16, height: 12))
      let geometry = options.size.geometry(for: whole.bitmap.size)
      #expect(frame.bitmap.difference(toAveraged: whole.bitmap, geometry: geometry) < 12)
    }
  }

  @Test(arguments: ["keep.gif", "keep-over.apng"])
  func `a truncated file gives its complete frames, then an error`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    let cut = file.prefix(file.count * 3 / 4)
    let reader = try FormatFixture.animatedDecoder(name).frameReader(for: cut, options: DecodingOptions())
    let whole = try self.reader(name)
    var count = 0
    #expect(throws: ImageDecodingError.truncated(try FormatFixture.format(name))) {
      while let frame = try reader.nextFrame() {
        #expect(try #require(try whole.nextFrame()).bitmap.largestDifference(to: frame.bitmap) == 0)
        count += 1
      }
    }
    #expect(count >= 2)
  }

  @Test(arguments: FormatFixture.animations)
  func `a flipped byte gives frames or a typed error`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    for index in stride(from: 0, to: file.count, by: 7) {
      var flipped = file
      flipped[index] ^= 0xFF
      do {
        let reader = try FormatFixture.animatedDecoder(name).frameReader(for: flipped, options: DecodingOptions())
        while try reader.nextFrame() != nil {}
      } catch {
        #expect(error is ImageDecodingError, "\(error) at \(index)")
      }
    }
  }

  @Test(
    arguments: ["still.gif", "lossy.webp"] + (StandardCodecs.readable.contains(.avif) ? ["avif/mosaic-6.avif"] : []))
  func `a still image is an animation of one frame`(_ name: String) throws {
    let reader = try reader(name)
    #expect(reader.animation.frameCount == 1)
    #expect(try durations(reader).count == 1)
    try reader.rewind()
    #expect(try durations(reader).count == 1)
  }

  @Test(arguments: FormatFixture.animations)
  func `an animation over the limit is rejected when opened`(_ name: String) throws {
    let options = DecodingOptions(limits: ImageLimits(sideLength: 31))
    #expect(throws: ImageDecodingError.sideTooLong(PixelSize(width: 32, height: 24), limit: 31)) {
      try FormatFixture.animatedDecoder(name).frameReader(for: FormatFixture.data(name), options: options)
    }
  }

  private func reader(_ name: String) throws -> any ImageFrameReader {
    try FormatFixture.animatedDecoder(name).frameReader(for: FormatFixture.data(name), options: DecodingOptions())
  }

  private func durations(_ reader: any ImageFrameReader) throws -> [Duration] {
    var durations: [Duration] = []
    while let frame = try reader.nextFrame() { durations.append(frame.duration) }
    return durations
  }
}
