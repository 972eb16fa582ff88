import HalcyonImaging
import HalcyonCodecs
import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct SharedDecoderTests {
  @Test(arguments: ["jpeg/peacock.default.jpeg", "jpeg/peacock.progressive.jpeg", Fixture.photo])
  func `one decoder can be used concurrently`(_ name: String) async throws {
    let file = try Fixture.data(name)
    let decoder: any ImageDecoder = name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
    // More sizes than graphs are cached, so that some are rebuilt all the time.
    let sizes = (1...12).map { TargetSize.fit(width: $0 * 4, height: $0 * 4) }
    let expected = try sizes.map { try decoder.decode(file, options: DecodingOptions(size: $0)).bitmap }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for round in 0..<60 {
        group.addTask {
          let options = DecodingOptions(size: sizes[round % 12])
          return try decoder.decode(file, options: options).bitmap.largestDifference(to: expected[round % 12])
        }
      }
      for try await difference in group { #expect(difference == 0) }
    }
  }

  // A single call of ImageIO decodes the whole image.
  #if !IMAGEIO
  @Test(
    arguments: ["jpeg/peacock.progressive.jpeg", "jpeg/peacock.default.jpeg", Fixture.photo],
    [TargetSize.original, .fit(width: 20, height: 20)])
  func `decoding stops midway when cancelled`(_ name: String, _ size: TargetSize) throws {
    let file = try Fixture.data(name)
    let decoder: any ImageDecoder = name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
    let checks = Lock(0)
    let options = DecodingOptions(size: size) {
      checks.withLock { count in
        count += 1
        return count == 3
      }
    }
    #expect(throws: ImageDecodingError.cancelled) { try decoder.decode(file, options: options) }
    #expect(checks.withLock { $0 } == 3)
  }

  /// A few bytes can be many rows: none of the steps may run through all of them at once.
  @Test func `a PNG image checks for cancellation while it reads rows, and while it converts colours`() throws {
    let bitmap = try Bitmap.painted(4, 640, isOpaque: false) { _, row in Color(10, 20, 30, 30 + row % 200) }
    let plain = try PNGEncoder().encode(bitmap, options: EncodingOptions())
    let linear = FileSurgery.png(plain, inserting: "gAMA", FileSurgery.bytes(100_000, count: 4))
    let interlaced = try Fixture.data("pngsuite/basi6a08.png")
    for (file, fewest) in [(plain, 640 / 16), (linear, 2 * 640 / 16), (interlaced, 8)] {
      let polls = Polls()
      _ = try PNGDecoder().decode(file, options: DecodingOptions(isCancelled: { polls.next() < 0 }))
      let count = polls.next() - 1
      #expect(count >= fewest)
      for last in [1, fewest / 2, count] {
        let again = Polls()
        #expect(throws: ImageDecodingError.cancelled) {
          try PNGDecoder().decode(file, options: DecodingOptions(isCancelled: { again.next() >= last }))
        }
        #expect(again.next() == last + 1)
      }
    }
  }
  #endif
}
