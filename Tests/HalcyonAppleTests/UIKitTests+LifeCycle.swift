#if canImport(UIKit)
import Foundation
import Halcyon
import HalcyonCache
import HalcyonApple
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import Testing
import UIKit

/// Memory warnings, the background and the end of the app.
extension UIKitTests {
  @Test func `a memory warning empties the memory cache, except for images in use`() async throws {
    let requests = ["40x20", "20x20", "4x2"].map { ImageRequest(url: fixture.url($0)) }
    for request in requests { _ = try await fixture.pipeline.image(for: request) }
    let inUse = try #require(fixture.pipeline[cached: requests[1]])
    repeat {
      // The threads that decoded the others may hold them for a moment.
      await Task.yield()
      NotificationCenter.default.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil)
    } while fixture.pipeline[cached: requests[0]] != nil || fixture.pipeline[cached: requests[2]] != nil
    #expect(fixture.pipeline[cached: requests[1]] != nil)
    withExtendedLifetime(inUse) {}
  }

  @Test func `a memory warning reaches the cache that a program has made for its views`() async throws {
    let cache = ImageCache(memory: MemoryCacheConfiguration(costLimit: 64_000, findsImagesInUse: false), disk: nil)
    let pipeline = ImagePipeline { ($0.transport, $0.cache) = (fixture.transport, cache) }
    let view = imageView()
    view.hc.setImage(with: fixture.url("80x40"), pipeline: pipeline, completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    let memory = try #require(cache.memoryCache)
    #expect(memory.count == 1)
    NotificationCenter.default.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil)
    #expect(memory.count == 0)
  }

  @Test func `in the background a tenth of the memory cache is kept`() async throws {
    let cache = ImageCache(memory: MemoryCacheConfiguration(costLimit: 64_000, findsImagesInUse: false), disk: nil)
    let pipeline = ImagePipeline { ($0.transport, $0.cache) = (fixture.transport, cache) }
    cache.followAppLifeCycle()
    for side in 40..<46 { _ = try await pipeline.image(for: ImageRequest(url: fixture.url("\(side)x40"))) }
    let memory = try #require(cache.memoryCache)
    #expect(memory.totalCost > 20_000)
    NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
    #expect(memory.totalCost <= 6400)
    NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: nil)
  }

  @Test func `a background task whose time expires is ended at once`() async throws {
    let application = UIApplication()
    NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: application)
    let handlers = application.backgroundTasks.values.compactMap(\.self)
    #expect(handlers.count == 1)
    for handler in handlers { handler() }
    #expect(application.backgroundTasks.isEmpty)
    NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: application)
  }

  @Test func `reads are recorded before the app terminates`() async throws {
    try await TemporaryDirectory.run { folder in
      let disk = DiskCache(directory: folder)
      let cache = ImageCache(store: disk)
      cache.followAppLifeCycle()
      let pipeline = ImagePipeline { ($0.transport, $0.cache) = (fixture.transport, cache) }
      let request = ImageRequest(url: fixture.url("40x20"))
      _ = try await pipeline.image(for: request)
      await cache.flush()
      cache.memory.removeAll()
      _ = try await pipeline.image(for: request)
      NotificationCenter.default.post(name: UIApplication.willTerminateNotification, object: nil)
      var hits: [Int] = []
      for try await entry in DiskCache(directory: folder).entries { hits.append(entry.hitCount) }
      #expect(hits == [1] && disk.statistics.errors == 0)
    }
  }

  @Test func `an extension releases the locks of its disk caches with its host`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = ImageCache(store: DiskCache(directory: folder, time: TestClock()))
      let pipeline = ImagePipeline { ($0.transport, $0.cache) = (fixture.transport, cache) }
      cache.followAppLifeCycle()
      _ = try await pipeline.image(for: ImageRequest(url: fixture.url("40x20")))
      await cache.flush()
      let locks = folder.appending(path: "v\(DiskCache.format)/own")
      func lockCount() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: locks.path).count }
      #expect(try lockCount() == 1)
      NotificationCenter.default.post(name: .NSExtensionHostDidEnterBackground, object: nil)
      while try lockCount() > 0, !Task.isCancelled { await Task.yield() }
      NotificationCenter.default.post(name: .NSExtensionHostWillEnterForeground, object: nil)
    }
  }

  @Test func `in the background disk caches release their locks, in time requested from the system`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = ImageCache(store: DiskCache(directory: folder, time: TestClock()))
      let pipeline = ImagePipeline {
        ($0.transport, $0.cache) = (fixture.transport, cache)
      }
      let view = imageView()
      view.hc.setImage(with: fixture.url("40x20"), pipeline: pipeline, completion: fixture.completion)
      try await fixture.ends.waitForEvents(count: 1)
      await cache.flush()
      let locks = folder.appending(path: "v\(DiskCache.format)/own")
      func lockCount() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: locks.path).count }
      #expect(try lockCount() == 1)
      let application = UIApplication()
      let ended = EventLog<Bool>()
      application.onLastTaskEnd = { ended.record(true) }
      NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: application)
      #expect(application.backgroundTasks.count == 1)
      try await ended.waitForEvents(count: 1)
      #expect(try lockCount() == 0)
      func load(_ name: String) async throws {
        _ = try await pipeline.image(for: ImageRequest(url: fixture.url(name)))
        await cache.flush()
      }
      try await load("41x20")
      #expect(try lockCount() == 0, "a store in the background keeps its locks")
      NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: application)
      var number = 42
      while try lockCount() == 0 {
        try await load("\(number)x20")
        number += 1
      }
    }
  }
}
#endif
