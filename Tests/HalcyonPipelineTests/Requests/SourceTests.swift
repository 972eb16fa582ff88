import HalcyonHTTP
import HalcyonImaging
import HalcyonCache
import HalcyonSupport
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct SourceTests {
  private static let image = SolidImage(width: 10, height: 10).data
  private struct Broken: Error {}

  @Test func `inline data is loaded without the network, and cached`() async throws {
    let fixture = PipelineFixture.serving()
    let response = try await fixture.pipeline.response(for: ImageRequest(source: .data(Self.image)))
    #expect(response.origin == .inline)
    #expect(try await fixture.pipeline.response(for: ImageRequest(source: .data(Self.image))).origin == .memory)
    let other = ImageRequest(source: .data(SolidImage(width: 3, height: 3).data))
    #expect(try await fixture.pipeline.response(for: other).image.size.width == 3)
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `a file of a bundle is loaded by its name, and a missing one is named in the error`() async throws {
    try await TemporaryDirectory.run { folder in
      let bundle = try #require(Bundle(path: folder.path()))
      try Self.image.write(to: folder.appending(path: "wait.bmp"))
      let fixture = PipelineFixture.serving()
      let request = ImageRequest(source: .resource("wait.bmp", in: bundle))
      #expect(try await fixture.pipeline.response(for: request).origin == .file)
      let error = await #expect(throws: ImageError.self) {
        try await fixture.pipeline.image(for: ImageRequest(source: .resource("nothing.gif", in: bundle)))
      }
      #expect(error?.description.contains("nothing.gif") == true)
    }
  }

  @Test(arguments: [
    ("a.bmp", ["a.bmp", "a@2x.bmp", "a@3x.bmp"], "a@3x.bmp", 3.0), ("a.bmp", ["a@2x.bmp"], "a@2x.bmp", 2),
    ("a.bmp", ["a.bmp", "a@2x.png"], "a.bmp", 1), ("a", ["a@2x.bmp", "a.txt"], "a@2x.bmp", 2),
    ("a@2x.bmp", ["a@2x.bmp", "a@3x.bmp"], "a@2x.bmp", 2), ("a.v2", ["a.v2"], "a.v2", 1), ("a", ["a.tif"], "a.tif", 1),
  ])
  func `of the files for several screens that with the most pixels is loaded, with its scale`(
    name: String, files: [String], found: String, scale: Double
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let bundle = try #require(Bundle(path: folder.path()))
      for file in files { try Self.image.write(to: folder.appending(path: file)) }
      let request = ImageRequest.resource(name, in: bundle)
      let response = try await PipelineFixture.serving().pipeline.response(for: request)
      #expect(request.source.url?.lastPathComponent == found && response.image.scale == scale)
      #expect(ImageSource.resource(name, in: bundle).url == request.source.url)
    }
  }

  @Test func `an image from memory has the URL of its request`() async throws {
    let fixture = PipelineFixture.serving()
    _ = try await fixture.pipeline.image(for: fixture.url)
    let response = try await fixture.pipeline.response(for: ImageRequest(url: fixture.url))
    #expect(response.origin == .memory && response.url == fixture.url)
    let pixels = try await fixture.pipeline.image(for: fixture.url, size: .fit(width: 5), options: .reload)
    #expect(pixels.size.width <= 5 && fixture.transport.requests.count == 2)
  }

  @Test(arguments: [0, 1]) func `bytes from anywhere are limited as those of a server`(excess: Int) async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a.bmp")
      try Self.image.write(to: file)
      let sources: [ImageSource] = [.data(Self.image), .data(key: "a") { Self.image }, .url(file)]
      for source in sources {
        let fixture = PipelineFixture(configure: {
          $0.limits.encodedByteCount = Self.image.count - excess
        }) { _ in .failure(.cancelled) }
        let request = ImageRequest(source: source)
        if excess == 0 {
          #expect(try await fixture.pipeline.image(for: request).size.width == 10)
        } else {
          let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
          #expect(error?.name == "responseTooLarge")
        }
      }
    }
  }

  @Test func `the name of a file need not be UTF-8`() async throws {
    try await TemporaryDirectory.run { folder in
      let (old, new) = (
        folder.path() + "/caf", Array((folder.path() + "/caf").utf8) + [0xE9] + Array(".png".utf8) + [0]
      )
      try Self.image.write(to: URL(filePath: old))
      try #require(rename(old, new.map { CChar(bitPattern: $0) }) == 0)
      let fixture = PipelineFixture.serving()
      let request = ImageRequest(source: .string("file://\(folder.path())/caf%E9.png"))
      #expect(try await fixture.pipeline.response(for: request).origin == .file)
    }
  }

  @Test func `a file that has been written again is loaded again, and one that has been removed is an error`()
    async throws
  {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a.png")
      let fixture = PipelineFixture.serving()
      let request = ImageRequest(url: file)
      for width in [10, 10, 30] as [UInt16] {
        if fixture.pipeline[cached: request]?.size.width != Int(width) {
          // As large and as old as before, as copies by `cp -p` may be.
          try SolidImage(width: width, height: 10).data.write(to: file)
          try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: file.path())
        }
        #expect(try await fixture.pipeline.image(for: request).size.width == Int(width))
        #expect(fixture.pipeline[cached: request] != nil)
      }
      try FileManager.default.removeItem(at: file)
      #expect(fixture.pipeline[cached: request] == nil)
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    }
  }

  @Test func `coalesced requests call a provider once, and later requests read the caches`() async throws {
    let joined = EventLog<PipelineEvent.SharedWork>()
    let fixture = PipelineFixture { configuration in
      configuration.eventHandler = { if case .joined(let work) = $0.kind { joined.record(work) } }
    } script: { _ in
      .response(body: Self.image)
    }
    let (calls, release) = (Counter(), Signal())
    let source = ImageSource.data(key: "album/1") {
      calls.increment()
      await release.wait()
      return Self.image
    }
    let tasks = (0..<20).map { _ in fixture.pipeline.task(for: ImageRequest(source: source)) }
    try await joined.waitForEvents(count: 19)
    release.set()
    for task in tasks { #expect(try await task.response.origin == .provider) }
    fixture.memory.removeAll()
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.pipeline.response(for: ImageRequest(source: source)).origin == .store)
    #expect(calls.count == 1)
  }

  @Test
  func `the error of a failing provider contains its key, and cancelling the last subscriber cancels the provider`()
    async throws
  {
    let fixture = PipelineFixture.serving()
    let failing = ImageSource.data(key: "broken") { throw Broken() }
    let error = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.image(for: ImageRequest(source: failing))
    }
    #expect(error?.description.contains("broken") == true)
    let (started, ended) = (Signal(), Signal())
    let endless = ImageSource.data(key: "endless") {
      started.set()
      await withTaskCancellationHandler {
        await ended.wait()
      } onCancel: {
        ended.set()
      }
      try Task.checkCancellation()
      return Data()
    }
    let task = fixture.pipeline.task(for: ImageRequest(source: endless))
    await started.wait()
    task.cancel()
    await ended.wait()
    await #expect(throws: ImageError.self) { try await task.image }
  }

  @Test func `a URL is resolved only when no cache has the image`() async throws {
    let fixture = PipelineFixture.serving()
    let calls = Counter()
    let source = ImageSource.url(key: "users/7/avatar") {
      calls.increment()
      return fixture.url.appending(queryItems: [URLQueryItem(name: "token", value: "\(calls.count)")])
    }
    let request = ImageRequest(source: source)
    #expect(fixture.pipeline[cached: request] == nil)
    #expect(try await fixture.pipeline.response(for: request).origin == .network)
    #expect(fixture.pipeline[cached: request] != nil)
    fixture.memory.removeAll()
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.pipeline.response(for: request).origin == .store)
    #expect(calls.count == 1)
  }

  @Test func `a resolver that throws or returns a file URL is an error`() async throws {
    let fixture = PipelineFixture.serving()
    let sources: [ImageSource] = [
      .url(key: "a") { throw Broken() }, .url(key: "b") { URL(filePath: "/etc/passwd") },
      .url(key: "c") { URL(string: "photo.jpg") ?? URL(filePath: "/") },
      .url(key: "d") { URL(string: "HTTP:///a") ?? URL(filePath: "/") },
    ]
    for (source, name) in zip(sources, ["providerFailed", "unsupportedScheme", "invalidURL", "invalidURL"]) {
      let error = await #expect(throws: ImageError.self) {
        try await fixture.pipeline.image(for: ImageRequest(source: source))
      }
      #expect(error?.name == name)
      if name == "unsupportedScheme" {
        #expect(error?.description.contains("file:///etc/passwd. Resolve it to a URL with http or https") == true)
      }
    }
  }

  @Test(arguments: ["no url", "http://", "file://", "file:///a%00.png", "photos/a b.jpg"])
  func `an invalid URL is named as it was written`(text: String) async {
    let fixture = PipelineFixture.serving()
    let error = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.image(for: ImageRequest(source: .string(text)))
    }
    #expect(error?.description.hasPrefix("“\(text)” is ") == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [false, true])
  func `errors of bytes without a URL name their key`(isProvided: Bool) async {
    func failure(_ bytes: Data) async -> String? {
      let source = isProvided ? ImageSource.data(key: "icon 1/ä") { bytes } : .data(bytes, key: "icon 1/ä")
      let error = await #expect(throws: ImageError.self) {
        try await PipelineFixture.serving().pipeline.image(for: ImageRequest(source: source))
      }
      return error?.description
    }
    #expect(
      await failure(Data("hello".utf8))
        == "“icon 1/ä” is not an image: its bytes are in no format that this build reads. Check the data of this source."
    )
    #expect(await failure(Data()) == "“icon 1/ä” has no bytes. Check the data of this source.")
    var damaged = SolidImage(width: 40, height: 40).data
    damaged[13] = 0
    #expect(await failure(damaged)?.hasPrefix("“icon 1/ä” was not decoded. ") == true)
  }

  @Test func `a signed URL keeps its cache key when its signature changes`() async throws {
    let fixture = PipelineFixture.serving()
    let addresses = [
      "https://b.s3.amazonaws.com/a.png?v=2&X-Amz-Signature=1",
      "https://b.s3.amazonaws.com/a.png?X-Amz-Signature=2&v=2",
    ]
    for (address, origin) in zip(addresses, [ImageOrigin.network, .memory]) {
      let url = try #require(URL(string: address))
      let request = ImageRequest(source: .url(url, signature: .amazonS3))
      #expect(try await fixture.pipeline.response(for: request).origin == origin)
    }
    #expect(fixture.transport.requests.first?.url.absoluteString == addresses[0])
  }

  @Test(arguments: [
    (URLSignature.amazonS3, "https://h/p?a=1&X-Amz-Date=2&x-amz-signature=3", "https://h/p?a=1"),
    (.amazonS3, "https://h/p?X-Amz-Security-Token=1&a=1&Expires=2", "https://h/p?a=1"),
    (.amazonS3, "https://h/p?X-Amz-Algorithm=1&X-Amz-Credential=2&X-Amz-SignedHeaders=3&a=1", "https://h/p?a=1"),
    (.amazonS3, "https://h/p?AWSAccessKeyId=1&a=1&Signature=2&X-Amz-Expires=3", "https://h/p?a=1"),
    (URLSignature(dropping: ["sv", "SIG"]), "https://h/p?SV=1&sig=a%2Fb&w=1%202", "https://h/p?w=1%202"),
    (URLSignature(dropping: ["sig"]), "https://h/p?sig=1", "https://h/p"),
    (.amazonS3, "https://h/p?X-Goog-Date=1", "https://h/p?X-Goog-Date=1"),
  ])
  func `signature parameters are not part of the cache key`(rule: URLSignature, address: String, key: String) throws {
    let source = ImageSource.url(try #require(URL(string: address)), signature: rule)
    #expect(source == .url(try #require(URL(string: address)), key: key))
  }

  @Test func `alternative sources are tried in order, and the error contains all failures when all fail`() async throws
  {
    let fixture = PipelineFixture { request in
      request.url.path() == "/good" ? .response(body: Self.image) : .response(status: 404, body: Data())
    }
    var request = ImageRequest(url: fixture.url)
    request.alternatives = [.url(fixture.url.appending(path: "b")), .string("not a valid URL")]
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    guard case .allSourcesFailed(let errors) = error else { throw Broken() }
    #expect(errors.map(\.name) == ["httpStatus", "httpStatus", "invalidURL"])
    request.alternatives.append(.string("http://example.com/good"))
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.url?.path() == "/good")
  }

  @Test func `an alternative on another origin gets no credentials`() async throws {
    let fixture = PipelineFixture { request in
      request.url.path() == "/good" ? .response(body: Self.image) : .response(status: 404, body: Data())
    }
    let origin = fixture.url.deletingLastPathComponent()
    let headers: HTTPHeaders = ["Authorization": "Bearer a", "X-Key": "a", "Cookie": "a=1", "Accept-Language": "de"]
    for (alternative, names) in [
      ("http://other.example/good", ["Accept-Language"]),
      (origin.appending(path: "good").absoluteString, Array(headers.fields.map(\.name))),
    ] {
      var request = ImageRequest(url: fixture.url, headers: headers) { $0.cachePolicy = .reload }
      request.alternatives = [.string(alternative)]
      _ = try await fixture.pipeline.data(for: request)
      let sent = try #require(fixture.transport.requests.last { $0.url.path() == "/good" }).headers
      #expect(headers.fields.map(\.name).filter { sent[$0] != nil } == names, "\(alternative)")
    }
  }

  @Test func `no source is tried for a size that no image can have`() async throws {
    let fixture = PipelineFixture { _ in .response(body: Self.image) }
    var request = ImageRequest(url: fixture.url, size: .fit(width: 0, height: 5))
    request.alternatives = [.url(fixture.url.appending(path: "b"))]
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    #expect(error?.name == "invalidTargetSize")
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `no alternative is tried after a cancellation`() async throws {
    let (started, ended) = (Signal(), Signal())
    let fixture = PipelineFixture { _ in
      started.set()
      await withTaskCancellationHandler {
        await ended.wait()
      } onCancel: {
        ended.set()
      }
      return .failure(.cancelled)
    }
    var request = ImageRequest(url: fixture.url)
    request.alternatives = [.url(fixture.url.appending(path: "b"))]
    let task = fixture.pipeline.task(for: request)
    await started.wait()
    task.cancel()
    await ended.wait()
    while fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `a cancellation at an alternative is a cancellation`() async throws {
    let (started, never) = (Signal(), Signal())
    let fixture = PipelineFixture(configure: { $0.options.retryStrategy = .never }) { request in
      guard request.url.lastPathComponent == "b" else { return .response(status: 404, body: Data()) }
      started.set()
      await never.wait()
      return .failure(.cancelled)
    }
    var request = ImageRequest(url: fixture.url)
    request.alternatives = [.url(fixture.url.appending(path: "b")), .url(fixture.url.appending(path: "c"))]
    for isDecoded in [true, false] {
      let task = Task { [request] in
        if isDecoded { _ = try await fixture.pipeline.image(for: request) }
        _ = try await fixture.pipeline.data(for: request)
      }
      await started.wait()
      task.cancel()
      let error = await #expect(throws: ImageError.self) { try await task.value }
      #expect(error?.name == "cancelled")
    }
    #expect(!fixture.transport.requests.contains { $0.url.lastPathComponent == "c" })
  }

  @Test func `in low data mode a cached image that cannot be decoded is an error, and nothing else is loaded`()
    async throws
  {
    let fixture = PipelineFixture(configure: { $0.prefersLowData = { true } }) { _ in .response(body: Self.image) }
    var damaged = SolidImage(width: 100, height: 10).data
    damaged[13] = 0
    var request = ImageRequest(url: fixture.url)
    try await fixture.pipeline.store(original: damaged, for: request)
    request.lowDataSource = .url(fixture.url.appending(path: "small"))
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    #expect(error?.name == "decoding")
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test(arguments: [CachePolicy.reload, .revalidate])
  func `in low data mode a reload loads the low data source, also if the full image is cached`(
    policy: CachePolicy
  ) async throws {
    let fixture = PipelineFixture(configure: { $0.prefersLowData = { true } }) { request in
      .response(body: SolidImage(width: request.url.lastPathComponent == "small" ? 5 : 50, height: 5).data)
    }
    let small = fixture.url.appending(path: "small")
    _ = try await fixture.pipeline.image(for: fixture.url)
    let request = ImageRequest(url: fixture.url) { ($0.lowDataSource, $0.cachePolicy) = (.url(small), policy) }
    #expect(try await fixture.pipeline.image(for: request).size.width == 5)
    #expect(fixture.transport.requests.map(\.url) == [fixture.url, small])
  }

  @Test func `in low data mode the low data source is loaded, unless the full image is cached`() async throws {
    let isDear = Lock(true)
    let fixture = PipelineFixture(configure: { $0.prefersLowData = { isDear.withLock { $0 } } }) { request in
      .response(body: SolidImage(width: request.url.path() == "/a" ? 100 : 10, height: 10).data)
    }
    var request = ImageRequest(url: fixture.url)
    request.lowDataSource = .url(fixture.url.appending(path: "small"))
    #expect(try await fixture.pipeline.image(for: request).size.width == 10)
    isDear.withLock { $0 = false }
    #expect(try await fixture.pipeline.image(for: request).size.width == 100)
    isDear.withLock { $0 = true }
    #expect(try await fixture.pipeline.image(for: request).size.width == 100)
    for freshness in [CachePolicy.reload, .revalidate] {
      request.cachePolicy = freshness
      let known = fixture.transport.requests.count
      #expect(try await fixture.pipeline.image(for: request).size.width == 10)
      #expect(fixture.transport.requests.dropFirst(known).map(\.url.lastPathComponent) == ["small"])
    }
  }
}
