import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Images whose source is a closure that returns them decoded.
@Suite(.integrationTest)
struct DecodedProviderTests {
  private struct Failure: Error {}

  private func drawing(width: Int = 40, height: Int = 20) throws -> DecodedImage {
    let size = PixelSize(width: width, height: height)
    let bitmap = try Bitmap(size: size, isOpaque: false) { pixels in
      for index in pixels.indices { pixels[index] = index / 4 % width < width / 2 ? 0 : 255 }
    }
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: size))
  }

  private func pixels(_ image: DecodedImage) -> [[UInt8]] {
    (0..<image.size.height).flatMap { y in
      (0..<image.size.width).map { x in [image.bitmap[x, y].red, image.bitmap[x, y].green, image.bitmap[x, y].blue] }
    }
  }

  /// A source that counts its calls, each of which waits at the gate.
  private func source(
    _ calls: EventLog<Int>, gate: Gate? = nil, _ image: DecodedImage
  ) -> ImageSource {
    .image(key: "drawing") {
      calls.record(1)
      try await gate?.wait()
      return image
    }
  }

  @Test func `a partial image is delivered, and stored in no tier`() async throws {
    let store = MemoryDataStore()
    let pipeline = ImagePipeline { $0.cache = ImageCache(store: store) }
    let whole = try drawing()
    let partial = DecodedImage(bitmap: whole.bitmap, info: whole.info, isPartial: true)
    let source = source(EventLog(), partial)
    for size in [TargetSize.original, .fit(width: 5, height: 5)] {
      _ = try await pipeline.image(for: ImageRequest(source: source, size: size))
    }
    await pipeline.cache.flush()
    #expect(store.keys.isEmpty)
  }

  @Test func `the image is delivered, processed, cached in memory, and stored encoded`() async throws {
    try await OptionsFixture.run(serving: Data()) { fixture async throws in
      let (calls, drawing) = (EventLog<Int>(), try drawing())
      let source = source(calls, drawing)
      let first = try await fixture.pipeline.response(for: ImageRequest(source: source))
      #expect(first.origin == .provider)
      #expect(pixels(first.image) == pixels(drawing))
      #expect(try await fixture.pipeline.response(for: ImageRequest(source: source)).origin == .memory)
      #expect(try await fixture.storedFormats == [.png])

      let circle = ImageRequest(source: source, processors: [BuiltInProcessor.circle()])
      #expect(try await fixture.pipeline.image(for: circle).size == PixelSize(width: 20, height: 20))
      let stored = try await fixture.pipeline.response(
        for: ImageRequest(source: source) { $0.memoryAccess = .disabled })
      #expect(stored.origin == .store)
      #expect(pixels(stored.image) == pixels(drawing))
      #expect(try await fixture.pipeline.image(for: .cached("drawing")).size.width == 40)
      #expect(calls.events.count == 1)
      #expect(fixture.transport.requests.isEmpty)
    }
  }

  @Test func `sizes, bytes and concurrent requests share one call of the closure`() async throws {
    try await OptionsFixture.run(serving: Data()) { fixture async throws in
      let (calls, gate) = (EventLog<Int>(), Gate())
      let source = source(calls, gate: gate, try drawing())
      let small = ImageRequest(source: source, size: .fit(width: 10))
      let tasks = [ImageRequest(source: source), small, small].map { fixture.pipeline.task(for: $0) }
      async let bytes = fixture.pipeline.data(for: small)
      try await gate.waitUntilHolding()
      while fixture.pipeline.activeJobCount < 3 { try await Task.yieldUnlessCancelled() }
      gate.open()
      var widths: [Int] = []
      for task in tasks { widths.append(try await task.image.size.width) }
      #expect(widths == [40, 10, 10])
      #expect(ImageFormat(sniffing: try await bytes) == .png)
      await fixture.pipeline.cache.flush()
      #expect(
        try await fixture.pipeline.image(for: ImageRequest(source: source, size: .fill(width: 5, height: 5))).size.width
          == 5)
      #expect(calls.events.count == 1)
    }
  }

  @Test func `a size at least that of the image leaves its pixels as they are`() async throws {
    let photo = DecodedImage(
      bitmap: try Bitmap(size: PixelSize(width: 9, height: 9), isOpaque: true) { pixels in
        for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index % 4 == 3 ? 255 : index * 57) }
      }, info: ImageInfo(format: .jpeg, storedSize: PixelSize(width: 9, height: 9)))
    try await OptionsFixture.run(serving: Data()) { fixture async throws in
      let source = source(EventLog<Int>(), photo)
      let large = ImageRequest(source: source, size: .fit(width: 100, height: 100))
      #expect(pixels(try await fixture.pipeline.image(for: large)) == pixels(photo))
      #expect(try await fixture.storedFormats == [.jpeg])
    }
  }

  @Test(arguments: [(AnimationPolicy.frames(), true), (.firstFrame, false)])
  func `an animation has its frames, unless the first one is wanted`(_ policy: AnimationPolicy, _ isAnimated: Bool)
    async throws
  {
    let file = TinyGIF.animation(reds: [9, 200])
    try await OptionsFixture.run(serving: Data()) { fixture async throws in
      let animation = try await fixture.pipeline.image(for: ImageRequest(source: .data(file)))
      let source = source(EventLog(), animation)
      let image = try await fixture.pipeline.image(for: ImageRequest(source: source) { $0.animation = policy })
      #expect((image.animation != nil) == isAnimated)
    }
  }

  @Test func `an error of the closure is that of the load, and is not remembered`() async throws {
    try await OptionsFixture.run(serving: Data()) { fixture async throws in
      let (calls, drawing) = (EventLog<Int>(), try drawing())
      let source = ImageSource.image(key: "a") {
        calls.record(1)
        if calls.events.count == 1 { throw Failure() }
        return drawing
      }
      let error = await #expect(throws: ImageError.self) {
        try await fixture.pipeline.image(for: ImageRequest(source: source))
      }
      guard case .providerFailed("a", let cause) = error, cause is Failure else {
        Issue.record("\(error.map { "\($0)" } ?? "an image")")
        return
      }
      #expect(try await fixture.pipeline.image(for: ImageRequest(source: source)).size.width == 40)
    }
  }
}
