import HalcyonSupport
import Foundation
import Halcyon
import HalcyonTesting
import TestSupport
import TestTraits
import Testing

/// Decoded sizes, scale, image modifiers and callbacks.
@Suite(.integrationTest)
struct PixelOptionsTests {
  private let image: Data

  init() throws { image = try TestImage.png(width: 400, height: 200) }

  @Test func `downsamplingScale multiplies the target size of a view`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      for (scale, width) in [(nil, 100), (1.0, 100), (1.5, 150), (0.25, 25), (100, 400)] {
        let request = fixture.request(size: .fit(width: 100, height: .max)) { $0.downsamplingScale = scale }
        #expect(try await fixture.pipeline.image(for: request).size.width == width)
        #expect(fixture.pipeline.cachedImage(for: request)?.size.width == width)
      }
      let plain = fixture.request(size: .fit(width: 150, height: .max))
      #expect(try await fixture.pipeline.response(for: plain).origin == .memory)
    }
  }

  @Test(arguments: [0, -1, Double.nan])
  func `a scale that yields no pixels is an error`(scale: Double) async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request(size: .fit(width: 100, height: 100)) { $0.downsamplingScale = scale }
      let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
      #expect(error?.description.contains("below 1 pixel") == true)
    }
  }

  @Test func `the scale of the pipeline's default options is applied once, also when prefetching`() async throws {
    var options = RequestOptions()
    options.downsamplingScale = 2
    try await OptionsFixture.run(serving: image, options: options) { fixture async throws in
      let request = fixture.request(size: .fit(width: 50, height: 50))
      let result = await ImagePrefetcher(pipeline: fixture.pipeline).start([request]).result
      #expect(result.completed.count == 1)
      #expect(fixture.pipeline.cachedImage(for: request)?.size.width == 100)
      #expect(try await fixture.pipeline.images(for: [request]).map(\.size.width) == [100])
      #expect(fixture.memory.count == 1)
    }
  }

  @Test func `usesOriginalSize decodes the original size, whatever the target size`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request(size: .fit(width: 100, height: 100)) { options in
        (options.usesOriginalSize, options.downsamplingScale) = (true, 2)
      }
      #expect(try await fixture.pipeline.image(for: request).size.width == 400)
      #expect(try await fixture.origin(fixture.request()) == .memory)
    }
  }

  @Test func `scaleFactor is set on the returned image, and not cached`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request { $0.scaleFactor = 2 }
      for _ in 0..<2 { #expect(try await fixture.pipeline.image(for: request).scale == 2) }
      #expect(try await fixture.pipeline.image(for: fixture.request()).scale == 1)
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test func `an image modifier changes the returned image, and not the cached one`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let callCount = Lock(0)
      let request = fixture.request(size: .fit(width: 4, height: 4)) { options in
        options.storage = .sticker
        options.imageModifier = { image in
          callCount.withLock { $0 += 1 }
          var image = image
          image.scale = 9
          return image
        }
      }
      var plain = request
      plain.options.imageModifier = nil
      #expect(try await fixture.pipeline.image(for: request).scale == 9)
      #expect(fixture.pipeline.cachedImage(for: request)?.scale == 9)
      #expect(try await fixture.pipeline.task(for: request).image.scale == 9)
      #expect(try await fixture.pipeline.images(for: [request]).map(\.scale) == [9])
      #expect(callCount.withLock { $0 } == 4)
      #expect(fixture.pipeline.cachedImage(for: plain)?.scale == 1)
      fixture.memory.removeAll()
      #expect(try await fixture.origin(plain) == .store)
      #expect(fixture.pipeline.cachedImage(for: plain)?.scale == 1)
      fixture.memory.removeAll()
      _ = await ImagePrefetcher(pipeline: fixture.pipeline).start([request]).result
      #expect(callCount.withLock { $0 } == 4)
    }
  }

  @Test func `a completion is called once, on the callback executor of the request`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let calls = EventLog<String>()
      let request = fixture.request { options in
        options.callbackExecutor = CallbackExecutor { callback in
          calls.record("executor")
          callback()
        }
      }
      let task = fixture.pipeline.task(for: request) { result in
        calls.record((try? result.get()) == nil ? "failure" : "image")
      }
      #expect(try await calls.waitForEvents(count: 2) == ["executor", "image"])
      task.cancel()
      let onMain = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: onMain, value: true)
      fixture.pipeline.task(for: fixture.request()) { _ in
        calls.record(DispatchQueue.getSpecific(key: onMain) == true ? "main" : "elsewhere")
      }
      #expect(try await calls.waitForEvents(count: 3) == ["executor", "image", "main"])
      fixture.memory.removeAll()
      fixture.pipeline.task(for: request) { result in
        if case .failure(.cancelled) = result { calls.record("cancelled") }
      }.cancel()
      #expect(try await calls.waitForEvents(count: 5).suffix(2) == ["executor", "cancelled"])
    }
  }
}
