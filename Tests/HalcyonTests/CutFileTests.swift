import Foundation
import Halcyon
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Bytes that are not decoded: a file that ends too early is refused, and not stored.
@Suite(.integrationTest)
struct CutFileTests {
  private static let formats = ["jpg", "progressive", "png", "gif", "webp", "bmp"]

  private static func file(_ name: String) async throws -> Data {
    switch name {
    case "jpg": return try Photos.data("rocket.jpg")
    case "progressive": return try Photos.data("rocket_progressive.jpg")
    case "png": return try Photos.data("clock_motion.png")
    case "gif": return try TestImage.gif(reds: [10, 90, 170])
    case "webp": return try await DecodedImage(data: Photos.data("rocket.jpg")).encoded(as: .webp)
    default: return bitmap
    }
  }

  /// 4 × 4 pixels of 24 bits.
  private static let bitmap =
    Data("BM".utf8) + bytes(102, 4) + bytes(0, 4) + bytes(54, 4) + bytes(40, 4) + bytes(4, 4) + bytes(4, 4)
    + bytes(1, 2)
    + bytes(24, 2) + Data(count: 24) + Data(repeating: 90, count: 48)

  private static func bytes(_ value: Int, _ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
  }

  @Test(arguments: formats)
  func `a file that is cut is refused unless a partial image is allowed, and stored in no case`(
    format: String
  ) async throws {
    let whole = try await Self.file(format)
    for count in [whole.count / 6 * 5, whole.count - max(20, whole.count / 100)] {
      try await OptionsFixture.run(serving: whole.prefix(count)) { fixture async throws in
        let request = fixture.request()
        let error = await #expect(throws: ImageError.self, "\(count)") { try await fixture.pipeline.data(for: request) }
        #expect(error?.name == "decoding")
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .store)
        #expect(await prefetcher.start([request]).result.failed.count == 1)
        await #expect(throws: ImageError.self) {
          try await fixture.pipeline.store(original: whole.prefix(count), for: request)
        }
        // What the header says is known all the same.
        #expect(try await fixture.pipeline.info(for: request).pixelSize.width > 0)
        #expect(try await fixture.entries.isEmpty)
      }
    }
    try await OptionsFixture.run(serving: whole) { fixture async throws in
      #expect(try await fixture.pipeline.data(for: fixture.request()) == whole)
      #expect(try await fixture.entries.count == 1)
    }
  }

  @Test func `a cut file that a revalidation in the background receives does not replace a whole one`() async throws {
    let (whole, newer) = (try await Self.file("jpg"), try await Self.file("progressive"))
    let body = Lock(whole)
    try await OptionsFixture.run { _ in
      .response(
        body: body.withLock { $0 }, headers: ["Cache-Control": "max-age=1, stale-while-revalidate=1000"])
    } body: { fixture async throws in
      let request = fixture.request()
      _ = try await fixture.pipeline.data(for: request)
      for (served, expected) in [(whole.prefix(60_000), whole), (newer, whole), (newer, newer)] {
        await fixture.pipeline.cache.flush()
        body.withLock { $0 = served }
        fixture.clock.advance(by: .seconds(2))
        #expect(try await fixture.pipeline.data(for: request) == expected)
      }
      await fixture.pipeline.cache.flush()
      #expect(fixture.transport.requests.count == 4)
    }
  }

  @Test func `a partial image that is allowed is returned, and not stored`() async throws {
    let cut = try await Self.file("jpg").prefix(60_000)
    try await OptionsFixture.run(serving: cut) { fixture async throws in
      let request = fixture.request { $0.allowsPartialImage = true }
      #expect(try await fixture.pipeline.data(for: request) == cut)
      #expect(try await fixture.entries.isEmpty)
    }
  }

  @Test(arguments: ["jpg", "png"])
  func `a file that lacks only what follows its pixels is whole, as in browsers`(format: String) async throws {
    let whole = try await Self.file(format)
    for file in [whole.dropLast(format == "jpg" ? 2 : 12), whole + Data("trailing".utf8)] {
      try await OptionsFixture.run(serving: Data(file)) { fixture async throws in
        #expect(try await fixture.pipeline.data(for: fixture.request()) == Data(file))
        #expect(try await fixture.entries.count == 1)
      }
    }
  }
}
