import HalcyonTransport
import HalcyonHTTP
import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct AddressPolicyPipelineTests {
  @Test func `the address policy checks every redirect, and a refused host is not contacted`() async throws {
    try await ImageServer.run { server in
      let inner = try #require(URL(string: "http://127.0.0.2:\(server.port)/inner"))
      let url = server.serve("/outer", .redirect(to: inner.absoluteString))
      let policy = AddressPolicy(scope: .publicInternet, allowed: [try #require(AddressRange("127.0.0.1"))])
      let pipeline = ImagePipeline(addressPolicy: policy) { $0.cache = ImageCache(disk: nil) }
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      guard case .transport(.addressRejected("127.0.0.2", "127.0.0.2", _), inner) = error else {
        Issue.record("\(error.map { "\($0)" } ?? "a response")")
        return
      }
      #expect(server.requests.map(\.path) == ["/outer"])
    }
  }

  /// Loads with two pipelines that share memory and disk: one without a policy, one with `policy`.
  private func withSharedCaches(
    _ policy: AddressPolicy = .publicInternetOnly,
    _ body: (_ open: ImagePipeline, _ restricted: ImagePipeline) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let cache = ImageCache(in: folder)
      try await body(
        ImagePipeline { $0.cache = cache },
        ImagePipeline(addressPolicy: policy) { $0.cache = cache })
      await cache.flush()
    }
  }

  private func expectRefusal(_ request: ImageRequest, by pipeline: ImagePipeline) async {
    let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
    switch error {
    case .transport(.addressRejected, _), .notCached: break
    default: Issue.record("\(error.map { "\($0)" } ?? "a response")")
    }
  }

  private func photo() throws -> Reply { .body(try TestImage.png(), headers: ["Cache-Control": "max-age=600"]) }

  @Test func `an image that the address policy refuses is not served from caches filled without the policy`()
    async throws
  {
    try await ImageServer.run { server in
      try await withSharedCaches { open, restricted in
        let url = server.serve("/a", try photo())
        var requests = [ImageRequest(url: url), ImageRequest(url: url, size: .fit(width: 8, height: 8))]
        requests[1].options.storage = .sticker
        requests.append(ImageRequest(source: .url(url, key: "key")))
        for request in requests {
          _ = try await open.image(for: request)
          await open.cache.flush()
          #expect(open[cached: request] != nil)
          #expect(restricted[cached: request] == nil)
          #expect(await restricted.cachedTier(for: request) == nil)
          #expect(try await restricted.storedMetadata(for: request) == nil)
          for freshness in [CachePolicy.standard, .cacheFirst, .cacheOnly, .staleFirst, .revalidate] {
            var request = request
            request.cachePolicy = freshness
            await expectRefusal(request, by: restricted)
          }
          for access in [(CacheAccess.disabled, CacheAccess.readWrite), (.readWrite, .disabled)] {
            var request = request
            (request.memoryAccess, request.storeAccess) = access
            await expectRefusal(request, by: restricted)
          }
          await #expect(throws: ImageError.self) { try await restricted.data(for: request) }
        }
        await expectRefusal(.cached("key"), by: restricted)
        #expect(server.requests.count == 2)
      }
    }
  }

  @Test func `an image that was redirected to a refused address is not served from shared caches`() async throws {
    try await ImageServer.run { outer in
      try await ImageServer.run { inner in
        let url = outer.serve("/a", .redirect(to: inner.serve("/b", try photo()).absoluteString, status: 301))
        try await withSharedCaches(AddressPolicy(ports: [Int(outer.port)])) { open, restricted in
          _ = try await open.image(for: url)
          await open.cache.flush()
          await expectRefusal(ImageRequest(url: url), by: restricted)
          open.cache.memory.removeAll()
          await expectRefusal(ImageRequest(url: url), by: restricted)
        }
      }
    }
  }

  @Test func `an image loaded under an address policy is cached for pipelines with an equal policy only`() async throws
  {
    try await ImageServer.run { server in
      let policies = try ["127.0.0.1", "127.0.0.1/32"].map { text in
        AddressPolicy(scope: .publicInternet, allowed: [try #require(AddressRange(text))])
      }
      let request = ImageRequest(url: server.serve("/a", try photo()))
      try await withSharedCaches(policies[0]) { open, restricted async throws in
        #expect(try await restricted.response(for: request).origin == .network)
        await restricted.cache.flush()
        #expect(try await open.response(for: request).origin == .network)
        #expect(try await restricted.response(for: request).origin == .memory)
        let equal = ImagePipeline(addressPolicy: policies[1]) { $0.cache = open.cache }
        #expect(try await equal.response(for: request).origin == .memory)
        open.cache.memory.removeAll()
        #expect(try await equal.response(for: request).origin == .store)
        #expect(restricted.cacheKey(for: request) == equal.cacheKey(for: request))
        #expect(restricted.cacheKey(for: request) != open.cacheKey(for: request))
      }
    }
  }

  @Test func `a request taken from a task of a restricted pipeline does not fill its caches elsewhere`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", try photo())
      try await withSharedCaches { open, restricted in
        let task = restricted.task(for: ImageRequest(url: url))
        await #expect(throws: ImageError.self) { try await task.image }
        _ = try await open.image(for: task.request)
        await open.cache.flush()
        await expectRefusal(ImageRequest(url: url), by: restricted)
        await expectRefusal(task.request, by: restricted)
      }
    }
  }

  @Test func `every part of an address policy distinguishes cached images`() throws {
    let range = try #require(AddressRange("10.0.0.0/8"))
    let policies = [
      AddressPolicy.any, .publicInternetOnly, AddressPolicy(scope: .listed), AddressPolicy(allowed: [range]),
      AddressPolicy(denied: [range]), AddressPolicy(ports: [80]), AddressPolicy(ports: [80, 443]),
      AddressPolicy(ports: []), AddressPolicy(denied: [try #require(AddressRange("11.0.0.0/8"))]),
    ]
    let request = ImageRequest(source: .string("http://example.com/a"))
    let keys = policies.map { policy in
      ImagePipeline {
        ($0.transport, $0.cache) = (CurlTransport(configuration: .init(addressPolicy: policy)), ImageCache(disk: nil))
      }
      .cacheKey(for: request)
    }
    #expect(Set(keys).count == policies.count)
    #expect(keys[0] == ImagePipeline.cacheKey(for: request))
  }

  @Test func `a policy that the platform cannot enforce fails every load`() async throws {
    let pipeline = ImagePipeline(addressPolicy: .publicInternetOnly) { $0.options.retryStrategy = .never }
    #if canImport(Darwin)
    let error = await #expect(throws: ImageError.self) {
      try await pipeline.image(for: try #require(URL(string: "http://127.0.0.1/a.png")))
    }
    guard case .transport(.addressPolicyUnsupported, _) = error else {
      Issue.record("\(error.map { "\($0)" } ?? "a response")")
      return
    }
    #else
    #expect(pipeline.configuration.transport is CurlTransport)
    #expect(pipeline.configuration.transport.addressPolicy == .publicInternetOnly)
    #endif
  }

  @Test func `the documented SSRF policy blocks the cloud metadata service`() async throws {
    var policy = AddressPolicy.publicInternetOnly
    policy.ports = [80, 443]
    let pipeline = ImagePipeline(addressPolicy: policy) { $0.cache = ImageCache(disk: nil) }
    let url = try #require(URL(string: "http://169.254.169.254/latest/meta-data/"))
    let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
    guard case .transport(.addressRejected(let address, let host, let reason), _) = error else {
      Issue.record("the metadata service was not blocked")
      return
    }
    #expect(address == "169.254.169.254")
    #expect(host == address)
    #expect(reason.contains("link-local"))
  }
}
