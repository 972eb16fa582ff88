import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// What a program learns of its caches, and gets out of them.
@Suite(.integrationTest)
struct CacheUseTests {
  private func photo() throws -> Data { try Photos.data("clock_motion.png") }

  @Test func `each tier counts the bytes that its hits have saved`() async throws {
    try await withOrigin { server, folder in
      let photo = try photo()
      let url = server.serve("/a.png", .body(photo, headers: ["Cache-Control": "max-age=600"]))
      for hits in 0..<2 {
        let pipeline = ImagePipeline { $0.cache = ImageCache(in: folder) }
        for _ in 0..<3 { _ = try await pipeline.image(for: url, size: .fit(width: 50, height: 50)) }
        await pipeline.cache.flush()
        let statistics = pipeline.cache.statistics
        #expect(statistics[.memory]?.hits == 2 && statistics[.memory]?.savedByteCount == 2 * photo.count)
        #expect(statistics[.store]?.hits == hits && statistics[.store]?.savedByteCount == hits * photo.count)
      }
      #expect(server.requests(for: "/a.png").count == 1)
    }
  }

  @Test func `the bytes of files on this machine are not saved`() async throws {
    try await withOrigin { _, folder in
      let pipeline = ImagePipeline { $0.cache = ImageCache(in: folder.appending(path: "cache")) }
      let file = folder.appending(path: "a.png")
      try photo().write(to: file)
      for _ in 0..<2 { _ = try await pipeline.image(for: file) }
      await pipeline.cache.flush()
      let memory = pipeline.cache.statistics[.memory]
      #expect(memory?.hits == 1)
      #expect(memory?.savedByteCount == 0)
    }
  }

  @Test(arguments: [(["ETag": "\"1\""], 300), ([:], 7 * 86_400)] as [(HTTPHeaders, Int)])
  func `a response that names no lifetime is fresh for five minutes, or a week without an ETag`(
    headers: HTTPHeaders, seconds: Int
  ) async throws {
    try await OptionsFixture.run(serving: TestImage.png(), headers: headers) { fixture async throws in
      for (elapsed, count) in [(0, 1), (seconds - 1, 1), (2, 2)] {
        fixture.clock.advance(by: .seconds(elapsed))
        _ = try await fixture.origin(fixture.request())
        #expect(fixture.transport.requests.count == count, "\(elapsed)")
      }
    }
  }

  @Test func `the same bytes once more make a stale image fresh, in memory and in the store`() async throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=10"]
    try await OptionsFixture.run(serving: TestImage.png(), headers: headers) { fixture async throws in
      for (seconds, origin) in [(0, ImageOrigin.network), (11, .network), (1, .memory), (1, .store)] {
        fixture.clock.advance(by: .seconds(seconds))
        if origin == .store { fixture.memory.removeAll() }
        #expect(try await fixture.origin(fixture.request()) == origin)
      }
      #expect(fixture.transport.requests.count == 2)
    }
  }

  @Test func `a trace has the times of the transfer, and none for a hit`() async throws {
    try await withPipeline { server, pipeline in
      let url = server.serve("/a.png", .body(try photo()))
      let first = try #require(try await pipeline.response(for: ImageRequest(url: url)).trace.transfer)
      #expect(first.connect > .zero)
      #expect(first.secureConnect == .zero)
      #expect(first.nameLookup <= first.connect)
      #expect(first.firstByte >= first.connect)
      #expect(first.total >= first.firstByte)
      #expect(first.receivedByteCount == (try photo()).count)
      #expect(try await pipeline.response(for: ImageRequest(url: url)).trace.transfer == nil)
    }
  }

  @Test(arguments: [
    ("/photo", "photo.png"), ("/photo.jpg", "photo.png"), ("/photo.v2", "photo.v2.png"), ("/", "image.png"),
    ("/caf%C3%A9%3A1.png", "café1.png"), ("/.hidden.png", "hidden.png"),
    ("/" + String(repeating: "a", count: 300), String(repeating: "a", count: 50) + ".png"),
  ])
  func `a cached image becomes a file with the extension of its format, without another request`(
    path: String, name: String
  ) async throws {
    try await withPipeline { server, pipeline in
      let photo = try photo()
      let url = server.serve(path, .body(photo, headers: ["Content-Type": "image/jpeg"]))
      _ = try await pipeline.image(for: url)
      await pipeline.cache.flush()
      let request = ImageRequest(url: url) { $0.cachePolicy = .cacheOnly }
      let files = [try await pipeline.file(for: request), try await pipeline.file(for: request)]
      defer { for file in files { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) } }
      #expect(files[0] != files[1])
      // The file stays when the cache has removed the image.
      try await pipeline.cache.removeAll()
      for file in files {
        #expect(file.lastPathComponent == name)
        #expect(try Data(contentsOf: file) == photo)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
      let error = await #expect(throws: ImageError.self) { try await pipeline.file(for: request) }
      guard case .notCached = error else { throw CancellationError() }
    }
  }

  @Test func `a file is written into a folder that the caller names, and replaced there`() async throws {
    try await withOrigin { server, folder in
      let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
      let request = ImageRequest(source: .data(try photo(), key: "a/b"))
      for _ in 0..<2 { #expect(try await pipeline.file(for: request, in: folder).lastPathComponent == "ab.png") }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["ab.png"])
      let url = try #require(URL(string: "data:image/png;base64,\(try photo().base64EncodedString())"))
      #expect(try await pipeline.file(for: ImageRequest(url: url), in: folder).lastPathComponent == "image.png")
      let error = await #expect(throws: ImageError.self) {
        try await pipeline.file(for: request, in: folder.appending(path: "missing"))
      }
      guard case .failed = error else { throw CancellationError() }
    }
  }
}
