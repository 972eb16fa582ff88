import Foundation
import Halcyon
import HalcyonSupport
import HalcyonTransport
import HalcyonCache
import HalcyonBackend
import Logging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Several nodes that share results in memcached and in a bucket.
@Suite(.integrationTest)
struct SharedCacheTests {
  private let fresh: HeaderFields = ["Cache-Control": "max-age=1000"]

  private func share(_ servers: [MemcachedProcess], _ configuration: inout ServiceConfiguration) {
    configuration.memcachedServers = servers.map { MemcachedServer(host: "127.0.0.1", port: $0.port) }
    configuration.memcached.timeout = .seconds(20)
    configuration.memcached.failureLimit = 1
  }

  private func share(_ storage: MotoProcess, _ configuration: inout ServiceConfiguration) async throws {
    let endpoint = try #require(URL(string: "http://127.0.0.1:\(storage.port)"))
    configuration.storage = S3Storage(
      region: "us-east-1", endpoint: endpoint,
      credentials: S3Credentials(accessKeyID: "key", secretAccessKey: "secret"))
    configuration.resultsBucket = "results"
    configuration.resultsBudget = .seconds(60)
    let bucket = TransportRequest(url: endpoint.appending(path: "results"), method: .put)
    #expect(try await CurlTransport().response(to: bucket).status == 200)
  }

  @Test(.enabled(if: MemcachedProcess.isInstalled))
  func `a result that one node has made is a hit of another`() async throws {
    try await MemcachedProcess.run(2) { servers in
      try await RunningService.run {
        share(servers, &$0)
      } body: { first, origin async throws in
        let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: fresh))
        let made = try await first.image("rs:fill:30:30", of: source)
        #expect(made.headers["Cache-Status"] == "halcyon; fwd=miss")
        await first.service.flush()
        try await RunningService.run {
          share(servers, &$0)
        } body: { second, _ async throws in
          let found = try await second.image("rs:fill:30:30", of: source)
          #expect(found.headers["Cache-Status"] == "halcyon; hit; detail=memcached" && found.body == made.body)
          #expect(origin.requests.count == 1)
          let metrics = try await second.get("/metrics").text
          #expect(metrics.contains("halcyon_tier_reads_total{tier=\"memcached\",result=\"hit\"} 1\n"))
          #expect(metrics.contains("halcyon_tier_stores_total{tier=\"disk\",kind=\"copy\"} 1\n"))
          #expect(metrics.contains("halcyon_memcached_servers_ejected 0.0\n"))
        }
      }
    }
  }

  @Test(.enabled(if: MotoProcess.isInstalled))
  func `results are kept in the bucket, and a purge removes them from all tiers`() async throws {
    try await MotoProcess.run { storage in
      var shared = ServiceConfiguration()
      try await share(storage, &shared)
      let settings = shared
      func use(_ configuration: inout ServiceConfiguration) {
        configuration.storage = settings.storage
        configuration.resultsBucket = settings.resultsBucket
        configuration.resultsBudget = settings.resultsBudget
        configuration.purgeToken = "token"
      }
      try await RunningService.run {
        use(&$0)
      } body: { first, origin async throws in
        let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: fresh))
        let made = try await first.image("rs:fill:30:30", of: source)
        await first.service.flush()
        try await RunningService.run {
          use(&$0)
        } body: { second, _ async throws in
          let found = try await second.image("rs:fill:30:30", of: source)
          #expect(found.headers["Cache-Status"] == "halcyon; hit; detail=s3" && found.body == made.body)
          let delete = try #require(HTTPMethod("DELETE"))
          let purge = "/cache/plain/\(source.absoluteString)"
          let headers: HTTPHeaders = ["Authorization": "Bearer token"]
          // The copy on the disk of this node, and the object.
          #expect(try await second.get(purge, method: delete, headers).text == "{\"removed\":2}\n")
          let again = try await second.image("rs:fill:30:30", of: source)
          #expect(again.headers["Cache-Status"] == "halcyon; fwd=miss" && origin.requests.count == 2)
        }
      }
    }
  }

  @Test(.enabled(if: MemcachedProcess.isInstalled))
  func `a service whose memcached has failed serves as before, and a purge says that it is incomplete`() async throws {
    try await MemcachedProcess.run { servers in
      try await RunningService.run {
        share(servers, &$0)
        $0.purgeToken = "token"
      } body: { service, origin async throws in
        let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: fresh))
        servers[0].stop()
        for side in 30..<35 { #expect(try await service.image("rs:fill:\(side):30", of: source).status == 200) }
        await service.service.flush()
        #expect(origin.requests.count == 1)
        #expect(try await service.get("/metrics").text.contains("halcyon_memcached_servers_ejected 1.0\n"))
        let delete = try #require(HTTPMethod("DELETE"))
        let purge = try await service.get(
          "/cache/plain/\(source.absoluteString)", method: delete, ["Authorization": "Bearer token"])
        #expect(purge.status == 503)
        #expect(try await service.image("rs:fill:30:30", of: source).headers["Cache-Status"] == "halcyon; fwd=miss")
      }
    }
  }

  @Test(arguments: [
    (404, "NoSuchBucket", "The bucket does not exist"), (403, "InvalidAccessKeyId", "The credentials are wrong"),
    (403, "RequestTimeTooSkewed", "The clock of this machine is wrong"), (301, "PermanentRedirect", "another region"),
  ])
  func `a bucket that cannot be used is one warning at the start, and the service serves`(
    status: Int, code: String, text: String
  ) async throws {
    try await ImageServer.run { bucket in
      bucket.serve("/results/") { request in
        .status(status, body: request.method == "HEAD" ? Data() : Data("<Error><Code>\(code)</Code></Error>".utf8))
      }
      let storage = try #require(S3Storage(region: "us-east-1", endpoint: bucket.url("/")))
      let log = EventLog<String>()
      try await RunningService.run(
        { ($0.storage, $0.resultsBucket) = (storage, "results") },
        logger: Logger(label: "test") { _ in LineLog(log, level: .warning) }
      ) { service, origin async throws in
        await service.service.waitForBucketCheck()
        #expect(log.events.count == 1, "\(log.events)")
        let line = try #require(log.events.first)
        #expect(line.contains("bucket=results") && line.contains(text) && line.contains(code), "\(line)")
        let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: fresh))
        #expect(try await service.image("rs:fill:30:30", of: source).status == 200)
      }
    }
  }

  @Test func `a shared tier that fails is one warning, with its error`() async throws {
    try await ImageServer.run { bucket in
      // Objects can neither be found nor stored.
      bucket.serve("/results/", .status(200))
      let storage = try #require(S3Storage(region: "us-east-1", endpoint: bucket.url("/")))
      let log = EventLog<String>()
      try await RunningService.run(
        { configuration in
          (configuration.storage, configuration.resultsBucket) = (storage, "results")
          configuration.resultsBudget = .seconds(600)
        }, logger: Logger(label: "test") { _ in LineLog(log, level: .warning) }
      ) { service, origin async throws in
        let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: fresh))
        for side in 30..<40 { #expect(try await service.image("rs:fill:\(side):30", of: source).status == 200) }
        await service.service.flush()
        #expect(log.events.count == 1, "\(log.events)")
        #expect(
          log.events.first?.hasPrefix("A tier of the cache fails error=The storage responded with HTTP 404") == true)
      }
    }
  }

  @Test func `a purge whose list of the bucket is cut is incomplete`() async throws {
    try await ImageServer.run { bucket in
      bucket.serve("/results/", .body(Data("<ListBucketResult><IsTruncated>false</IsTruncated>".utf8)))
      let storage = try #require(S3Storage(region: "us-east-1", endpoint: bucket.url("/")))
      try await RunningService.run {
        ($0.storage, $0.resultsBucket, $0.purgeToken) = (storage, "results", "token")
      } body: { service, origin async throws in
        let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: fresh))
        let delete = try #require(HTTPMethod("DELETE"))
        let purge = try await service.get(
          "/cache/plain/\(source.absoluteString)", method: delete, ["Authorization": "Bearer token"])
        #expect(purge.status == 503)
      }
    }
  }

  @Test func `all requests to a bucket of results have a valid signature`() async throws {
    try await ImageServer.run { bucket in
      let storage = try #require(
        S3Storage(
          region: "eu-west-3", endpoint: bucket.url("/"),
          credentials: S3Credentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalr/hidden+key")))
      let store = S3Store(storage: storage, bucket: "results", transport: CurlTransport())
      let object = Monitor("")
      bucket.serve("/results/") { _ in
        let next = object.read { $0 }
        let end =
          next.isEmpty
          ? "<IsTruncated>false</IsTruncated>"
          : "<IsTruncated>true</IsTruncated><NextContinuationToken>a+b/c=</NextContinuationToken>"
        defer { object.update { $0 = "" } }
        let key = "<Contents><Key>other</Key></Contents>"
        return .body(Data("<ListBucketResult>\(end)\(key)</ListBucketResult>".utf8))
      }
      let key: CacheKey = "|url=3:a:b|plan=1:x"
      let entry = StoredEntry(body: Data("body".utf8), metadata: EntryMetadata(requestDate: .now, responseDate: .now))
      // The server has none of the objects.
      await #expect(throws: S3StoreError.self) { try await store.store(entry, for: key) }
      #expect(try await store.entry(for: key) == nil)
      try await store.removeEntry(for: key)
      object.update { $0 = "more" }
      try await store.removeAll()
      let check = SignatureCheck(secretAccessKey: "wJalr/hidden+key", region: "eu-west-3")
      #expect(bucket.requests.map(\.method) == ["PUT", "GET", "DELETE", "GET", "GET"])
      for request in bucket.requests { #expect(check.isValid(request), "\(request.method) \(request.path)") }
    }
  }

  @Test func `the settings of shared tiers are checked`() throws {
    let read = try configuration([
      "--insecure", "--memcached", "10.0.0.5, cache:7", "--memcached-namespace", "a-b", "--memcached-timeout", "20",
      "--memcached-item-size", "500000", "--s3-region", "r", "--s3-results", "thumbs", "--s3-results-prefix", "a/b/",
      "--s3-results-originals", "--s3-results-budget", "300",
    ])
    #expect(read.memcachedServers.map(\.description) == ["10.0.0.5:11211", "cache:7"])
    #expect(read.memcached.namespace == "a-b" && read.memcached.timeout == .milliseconds(20))
    #expect(read.memcached.itemByteLimit == 500_000 && read.resultsBudget == .milliseconds(300))
    #expect(read.resultsBucket == "thumbs" && read.results.prefix == "a/b/" && read.results.storesOriginals)
    let plain = try configuration(["--insecure"])
    #expect(plain.memcachedServers.isEmpty && plain.resultsBucket == nil)
    for arguments in [
      ["--memcached", "a:0"], ["--memcached-namespace", ""], ["--memcached-namespace", "a b"],
      ["--memcached-namespace", "ä"], ["--memcached-timeout", "0"], ["--s3-results", "thumbs"],
      ["--s3-region", "r", "--s3-results", "a/b"], ["--s3-results-prefix", "a b"], ["--memcached-item-size", "1"],
    ] {
      #expect(throws: ConfigurationError.self, "\(arguments)") { try configuration(["--insecure"] + arguments) }
    }
  }
}
