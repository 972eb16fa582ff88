import HalcyonImaging
import HalcyonCodecs
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
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

  @Test(
    arguments: ["jpeg/peacock.progressive.jpeg", "jpeg/peacock.default.jpeg", Fixture.photo],
    [TargetSize.original, .fit(width: 20, height: 20)])
  func `decoding stops midway when cancelled`(_ name: String, _ size: TargetSize) throws {
    let file = try Fixture.data(name)
    let decoder: any ImageDecoder = name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
    let checks = Mutex(0)
    let options = DecodingOptions(size: size) {
      checks.withLock { count in
        count += 1
        return count == 3
      }
    }
    #expect(throws: ImageDecodingError.cancelled) { try decoder.decode(file, options: options) }
    #expect(checks.withLock { $0 } == 3)
  }
}
