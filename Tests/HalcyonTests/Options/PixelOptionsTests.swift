import HalcyonSupport
import Foundation
import Halcyon
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Decoded sizes, scale, image modifiers and callbacks.
@Suite(.integrationTest)
struct PixelOptionsTests {
  private let image: Data

  init() throws { image = try TestImage.png(width: 400, height: 200) }

  @Test func `scale is set on the returned image, and not cached`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request { $0.scale = 2 }
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
      #expect(fixture.pipeline[cached: request]?.scale == 9)
      #expect(try await fixture.pipeline.task(for: request).image.scale == 9)
      #expect(try await fixture.pipeline.batch(for: [request]).images.map(\.scale) == [9])
      #expect(callCount.withLock { $0 } == 4)
      #expect(fixture.pipeline[cached: plain]?.scale == 1)
      fixture.memory.removeAll()
      #expect(try await fixture.origin(plain) == .store)
      #expect(fixture.pipeline[cached: plain]?.scale == 1)
      fixture.memory.removeAll()
      _ = await ImagePrefetcher(pipeline: fixture.pipeline).start([request]).result
      #expect(callCount.withLock { $0 } == 4)
    }
  }

  @Test func `a completion is called once, on the queue of the call or the main actor`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let (calls, request) = (EventLog<String>(), fixture.request())
      let (queue, name) = (DispatchQueue(label: "images"), DispatchSpecificKey<String>())
      queue.setSpecific(key: name, value: "queue")
      DispatchQueue.main.setSpecific(key: name, value: "main")
      @Sendable func record(_ text: String) {
        calls.record("\(text) on \(DispatchQueue.getSpecific(key: name) ?? "none")")
      }
      let task = fixture.pipeline.task(for: request, on: queue) { result in
        record((try? result.get()) == nil ? "failure" : "image")
      }
      #expect(try await calls.waitForEvents(count: 1) == ["image on queue"])
      task.cancel()
      fixture.pipeline.task(for: request) { _ in record("image") }
      #expect(try await calls.waitForEvents(count: 2).last == "image on main")
      fixture.memory.removeAll()
      fixture.pipeline.task(for: request, on: queue) { result in
        if case .failure(.cancelled) = result { record("cancelled") }
      }.cancel()
      #expect(try await calls.waitForEvents(count: 3).last == "cancelled on queue")
    }
  }
}
