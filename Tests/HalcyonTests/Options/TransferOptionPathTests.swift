import Foundation
import Halcyon
import HalcyonSupport
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Where options are set: in the request, or as defaults of the pipeline.
enum OptionsLevel: CaseIterable, Sendable {
  case request
  case pipeline

  func options(_ change: (inout RequestOptions) -> Void) -> (request: RequestOptions, pipeline: RequestOptions) {
    var options = RequestOptions()
    change(&options)
    return self == .request ? (options, RequestOptions()) : (RequestOptions(), options)
  }
}

/// Sources, and options of transfers, on every path.
@Suite(.integrationTest)
struct TransferOptionPathTests {
  @Test(arguments: LoadPath.affected(by: .priority), OptionsLevel.allCases)
  func `the priority of a load is that of its options on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let (gate, served) = (Gate(), try path.served)
    let options = level.options { $0.priority = .veryLow }
    try await OptionsFixture.run(options: options.pipeline) { _ in
      try await gate.wait()
      return .response(body: served)
    } body: { fixture async throws in
      let pipeline = fixture.pipeline
      // One may wait: of two waiting loads, the one of lower priority is rejected.
      pipeline.connectionLimits = ConnectionLimits(total: 1, perHost: 1, waiting: 1)
      func start(_ name: String) -> ImageTask {
        pipeline.task(for: ImageRequest(url: fixture.url.appending(path: name)) { $0.priority = .low })
      }
      let blocker = start("blocker")
      try await gate.waitUntilHolding()
      let other = start("other")
      // The other load ends here only if it is the one that is rejected.
      let watch = Task {
        _ = try? await other.image
        gate.open()
      }
      let error = await #expect(throws: ImageError.self) {
        try await path.load(path.request(fixture) { $0 = options.request }, with: pipeline)
      }
      guard case .tooManyWaiting(limit: 1, url: fixture.url)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      gate.open()
      await watch.value
      _ = try await (blocker.image, other.image)
    }
  }

  @Test(arguments: LoadPath.affected(by: .timeout), OptionsLevel.allCases)
  func `a timeout ends a load on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let gate = Gate()
    let options = level.options { $0.timeout = .seconds(5) }
    try await OptionsFixture.run(options: options.pipeline) { _ in
      try await gate.wait()
      return .failure(.cancelled)
    } body: { fixture async throws in
      let request = path.request(fixture) { $0 = options.request }
      let load = Task { try await path.load(request, with: fixture.pipeline) }
      await fixture.clock.waitForSleepers()
      fixture.clock.advance(by: .seconds(5))
      let error = await #expect(throws: ImageError.self) { try await load.value }
      #expect(error?.description.contains("\(fixture.url) was not loaded within 5.0 seconds") == true)
    }
  }

  @Test(
    arguments: LoadPath.affected(
      by: .retryStrategy, .requestModifier, .redirectHandler, .responseValidator, .dataTransform),
    OptionsLevel.allCases)
  func `the hooks of a request are called on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let (calls, served) = (EventLog<String>(), try path.served)
    let options = level.options { options in
      options.retryStrategy = Hooks(calls: calls)
      options.requestModifier = Hooks(calls: calls)
      options.redirectHandler = { _, next in
        calls.record("redirect")
        return next
      }
      options.responseValidator = { head in calls.record("validate \(head.status)") }
      options.dataTransform = { data, _ in
        calls.record("transform")
        return Data(data.map { $0 ^ 0xFF })
      }
    }
    let count = Lock(0)
    try await OptionsFixture.run(options: options.pipeline) { request in
      #expect(request.headers["X-Token"] == "a")
      let number = count.withLock { count in
        count += 1
        return count
      }
      switch number {
      case 1: return .failure(.hostNotFound("example.com"))
      case 2: return .response(status: 302, body: Data(), headers: ["Location": "/moved"])
      default: return .response(body: Data(served.map { $0 ^ 0xFF }))
      }
    } body: { fixture async throws in
      let request = path.request(fixture) { $0 = options.request }
      let result = try await path.load(request, with: fixture.pipeline)
      #expect(
        calls.events == ["modify", "retry", "modify", "redirect", "modify", "validate 200", "transform"])
      try await expectServed(result, path, fixture)
    }
  }

  @Test(arguments: LoadPath.affected(by: .allowsErrorImage), OptionsLevel.allCases)
  func `the image of an error status is loaded on every path if the options allow it`(
    path: LoadPath, level: OptionsLevel
  )
    async throws
  {
    let served = try path.served
    for isAllowed in [true, nil] {
      let options = level.options { $0.allowsErrorImage = isAllowed }
      try await OptionsFixture.run(options: options.pipeline) { _ in
        .response(status: 404, body: served, headers: ["Cache-Control": "max-age=60"])
      } body: { fixture async throws in
        let request = path.request(fixture) { $0 = options.request }
        if isAllowed == true {
          for _ in 0..<2 { try await expectServed(path.load(request, with: fixture.pipeline), path, fixture) }
        } else {
          await #expect(throws: ImageError.self) { try await path.load(request, with: fixture.pipeline) }
        }
        #expect(fixture.transport.requests.count == 1)
      }
    }
  }

  @Test(arguments: LoadPath.affected(by: .method, .body))
  func `method and body are sent on every path`(path: LoadPath) async throws {
    let served = try path.served
    try await OptionsFixture.run(serving: served) { fixture async throws in
      var request = path.request(fixture) {
        ($0.memoryAccess, $0.storeAccess) = (.readWrite, .readWrite)
      }
      request.method = .post
      request.body = Data("body".utf8)
      try await expectServed(path.load(request, with: fixture.pipeline), path, fixture)
      #expect(fixture.transport.requests.map(\.method) == [.post])
      #expect(fixture.transport.requests.map(\.body) == [Data("body".utf8)])
    }
  }

  @Test(arguments: LoadPath.affected(by: .headers, .identity))
  func `headers and identities are sent and distinguish images on every path`(path: LoadPath) async throws {
    let served = try path.served
    try await OptionsFixture.run(serving: served, headers: ["Cache-Control": "max-age=600"]) { fixture async throws in
      func load(token: String? = nil, identity: String? = nil) async throws {
        var request = path.request(fixture)
        if let token { request.headers["X-Token"] = token }
        request.identity = identity
        try await expectServed(path.load(request, with: fixture.pipeline), path, fixture)
        await fixture.pipeline.cache.flush()
      }
      for _ in 0..<2 {
        for token in ["a", "b"] { try await load(token: token) }
        for user in ["1", "2"] { try await load(identity: user) }
      }
      #expect(fixture.transport.requests.map { $0.headers["X-Token"] } == ["a", "b", nil, nil])
    }
  }

  @Test(arguments: LoadPath.affected(by: .alternatives))
  func `alternatives are tried on every path`(path: LoadPath) async throws {
    let served = try path.served
    try await OptionsFixture.run { request in
      request.url.lastPathComponent == "image" ? .response(status: 404, body: Data()) : .response(body: served)
    } body: { fixture async throws in
      var request = path.request(fixture)
      request.alternatives = [.url(fixture.url.appending(path: "other"))]
      try await expectServed(path.load(request, with: fixture.pipeline), path, fixture)
      #expect(fixture.transport.requests.map(\.url.lastPathComponent) == ["image", "other"])
      #expect(try await fixture.entries.count == path.entryCount)
    }
  }

  @Test(arguments: LoadPath.affected(by: .lowDataSource))
  func `in low data mode the smaller source is loaded on every path`(path: LoadPath) async throws {
    let served = try path.served
    try await OptionsFixture.run(prefersLowData: true) { _ in
      .response(body: served)
    } body: { fixture async throws in
      var request = path.request(fixture)
      request.lowDataSource = .url(fixture.url.appending(path: "small"))
      try await expectServed(path.load(request, with: fixture.pipeline), path, fixture)
      #expect(fixture.transport.requests.map(\.url.lastPathComponent) == ["small"])
    }
  }

  /// Expects what the path delivers of the file that the server has for it.
  private func expectServed(_ result: LoadPath.Result, _ path: LoadPath, _ fixture: OptionsFixture) async throws {
    switch path {
    case .data: #expect(try result.data == path.served)
    case .info, .metadata: #expect(result.info?.pixelSize == PixelSize(width: 80, height: 40))
    case .animation: #expect(result.image?.animation != nil)
    case .prefetchToMemory: #expect(fixture.memory.count > 0)
    case .prefetchToStore: #expect(try await !fixture.entries.isEmpty)
    case .view, .variant: #expect(result.image?.size.width == 20)
    case .encodedData, .encodedResponse, .plannedResponse: #expect(result.decodedImage?.size.width == 20)
    case .image, .task, .batch: #expect(result.image?.size.width == 80)
    }
  }
}

private struct Hooks: RetryStrategy, RequestModifier {
  let calls: EventLog<String>
  var identity: String? { "a" }

  func delay(after failure: FailedAttempt) async -> Duration? {
    calls.record("retry")
    return .zero
  }

  func modify(_ request: TransportRequest) async throws -> TransportRequest {
    calls.record("modify")
    var request = request
    request.headers["X-Token"] = "a"
    return request
  }
}
