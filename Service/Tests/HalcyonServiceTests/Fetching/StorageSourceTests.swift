import Foundation
import Halcyon
import HalcyonBackend
@_spi(Programs) import HalcyonHTTP
@testable import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Sources in S3-compatible storage.
@Suite(.integrationTest)
struct StorageSourceTests {
  private let credentials = S3Credentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalr/hidden+key")
  private let check = SignatureCheck(secretAccessKey: "wJalr/hidden+key", region: "eu-west-3")

  private func web(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

  private func storage(at port: UInt16, _ addressing: S3Storage.Addressing = .path) throws -> S3Storage {
    let host = addressing == .path ? "127.0.0.1" : "localhost"
    return try #require(
      S3Storage(
        region: "eu-west-3", endpoint: web("http://\(host):\(port)"), addressing: addressing,
        credentials: credentials))
  }

  @Test func `an object is fetched with a valid signature, once`() async throws {
    try await ImageServer.run { bucket in
      let storage = try storage(at: bucket.port)
      let image = Reply.body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"])
      bucket.serve("/photos/2024/cat.png", image)
      bucket.serve("/photos/a%20b%2B%C3%A4.png", image)
      try await RunningService.run {
        $0.storage = storage
      } body: { service, _ async throws in
        for _ in 1...2 {
          #expect(try await service.get("/_/w:40/plain/s3://photos/2024/cat.png").status == 200)
          await service.service.flush()
        }
        let encoded = Data("s3://photos/a b+ä.png".utf8).base64EncodedString()
        #expect(try await service.get("/_/rs:fill:20:20/\(encoded).png").status == 200)
        #expect(bucket.requests.map(\.path) == ["/photos/2024/cat.png", "/photos/a%20b%2B%C3%A4.png"])
        for request in bucket.requests { #expect(check.isValid(request)) }
        #expect(try await service.get("/_/w:40/plain/s3://photos/none.png").status == 404)
      }
    }
  }

  @Test(arguments: [
    // In Base64 the source is as it was written; after plain/ it is decoded once.
    ("s3://photos/a%20b%2B%.png", "/photos/a%2520b%252B%25.png"), ("s3://photos//a//b#c.png", "/photos/a//b%23c.png"),
    ("S3://photos/a.png?3/L4k%q=", "/photos/a.png?versionId=3%2FL4k%25q%3D"), ("s3://photos/a.png?", "/photos/a.png"),
  ])
  func `the key of an object is taken as it is, with its version`(source: String, path: String) async throws {
    try await ImageServer.run { bucket in
      let storage = try storage(at: bucket.port)
      bucket.serve(String(path.prefix { $0 != "?" }), .body(try Quadrants.png()))
      try await RunningService.run {
        $0.storage = storage
      } body: { service, _ async throws in
        let encoded = Data(source.utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
        #expect(try await service.get("/_/w:40/\(encoded).png").status == 200)
        #expect(bucket.requests.map(\.path) == [path])
        #expect(check.isValid(try #require(bucket.requests.first)))
        let percent = CharacterSet.alphanumerics
        let plain = source.addingPercentEncoding(withAllowedCharacters: percent) ?? ""
        #expect(try await service.get("/_/w:50/plain/\(plain)@png").status == 200)
      }
    }
  }

  /// What Amazon's storage responds for a bucket of another region, and the status of others.
  @Test(arguments: [301, 400])
  func `a bucket of another region is fetched from there, and its region remembered`(status: Int) async throws {
    let other = SignatureCheck(secretAccessKey: "wJalr/hidden+key", region: "us-east-2")
    try await ImageServer.run { bucket in
      let storage = try #require(
        S3Storage(
          region: "eu-west-3", endpoint: web("http://s3.eu-west-3.localhost:\(bucket.port)"), addressing: .virtualHost,
          credentials: credentials))
      let image = Reply.body(try Quadrants.png())
      for path in ["/a.png", "/b.png"] {
        bucket.serve(path) { request in
          request.headers["Host"]?.contains("us-east-2") == true && other.isValid(request)
            ? image : .status(status, headers: ["x-amz-bucket-region": "us-east-2"])
        }
      }
      try await RunningService.run {
        $0.storage = storage
        $0.addressPolicy = .any
      } body: { service, _ async throws in
        #expect(try await service.get("/_/w:40/plain/s3://photos/a.png").status == 200)
        #expect(try await service.get("/_/w:40/plain/s3://photos/b.png").status == 200)
        let hosts = ["eu-west-3", "us-east-2", "us-east-2"].map { "photos.s3.\($0).localhost:\(bucket.port)" }
        #expect(bucket.requests.map { $0.headers["Host"] } == hosts)
      }
    }
  }

  @Test(arguments: [301, 400], [[], ["private"], ["photos"]] as [[String]])
  func `a web URL of the storage is a stranger's, also after a redirect to another region`(
    status: Int, denied: [String]
  ) async throws {
    try await ImageServer.run { bucket in
      let storage = try #require(
        S3Storage(
          region: "eu-west-3", endpoint: web("http://s3.eu-west-3.localhost:\(bucket.port)"), addressing: .path,
          credentials: credentials))
      let image = Reply.body(try Quadrants.png())
      for path in ["/private/a.png", "/photos/a.png"] {
        bucket.serve(path) { request in
          request.headers["Authorization"] == nil || request.headers["Host"]?.contains("us-east-2") != true
            ? .status(status, headers: ["x-amz-bucket-region": "us-east-2"]) : image
        }
      }
      try await RunningService.run {
        ($0.storage, $0.addressPolicy, $0.deniedBuckets) = (storage, .any, denied)
      } body: { service, origin async throws in
        let object = "http://s3.eu-west-3.localhost:\(bucket.port)/private/a.png"
        let moved = origin.serve("/moved.png", .redirect(to: object))
        // The second time the region of the bucket is known, where it may be known.
        for source in [object, moved.absoluteString, "s3://photos/a.png", "s3://private/a.png", object] {
          let isSigned = source.hasPrefix("s3://") && !denied.contains { source.contains("//\($0)/") }
          let status = try await service.get("/_/w:40/plain/\(source)").status
          #expect((status == 200) == isSigned, "\(source)")
        }
        let signed = bucket.requests.filter { $0.headers["Authorization"] != nil }
        #expect(Set(signed.map(\.path)).isDisjoint(with: denied.map { "/\($0)/a.png" }))
        #expect(signed.count == 2 * (2 - denied.count))
      }
    }
  }

  @Test func `a redirect within the storage leads to objects that may be fetched only`() async throws {
    try await ImageServer.run { bucket in
      let storage = try storage(at: bucket.port)
      for path in ["/photos/public/b.png", "/photos/private/b.png", "/private/public/b.png"] {
        bucket.serve(path, .body(try Quadrants.png()))
      }
      let patterns = ["s3://photos/public/", "http://127.0.0.1:\(bucket.port)/"].compactMap(SourcePattern.init)
      try await RunningService.run {
        ($0.storage, $0.allowedSources, $0.deniedBuckets) = (storage, patterns, ["private"])
      } body: { service, _ async throws in
        for (target, status) in [
          ("/photos/public/b.png", 200), ("/photos/private/b.png", 403), ("/private/public/b.png", 403),
        ] {
          bucket.serve("/photos/public/a.png", .redirect(to: target))
          #expect(try await service.get("/_/w:40/cb:\(target.count)/plain/s3://photos/public/a.png").status == status)
        }
        #expect(
          bucket.requests(for: "/photos/private/b.png").isEmpty && bucket.requests(for: "/private/public/b.png").isEmpty
        )
      }
    }
  }

  @Test(arguments: ["eu-west-3", "x.example", "a/b", "us-east-2@example", ""])
  func `a region that is none, or the own, is not followed`(region: String) async throws {
    try await ImageServer.run { bucket in
      let storage = try storage(at: bucket.port)
      bucket.serve("/photos/a.png", .status(400, headers: ["x-amz-bucket-region": region]))
      try await RunningService.run {
        $0.storage = storage
      } body: { service, _ async throws in
        #expect(try await service.get("/_/w:40/plain/s3://photos/a.png").status >= 400)
        #expect(bucket.requests.count == 1)
      }
    }
  }

  @Test func `objects of Google's storage are fetched with HMAC keys, by the URLs that imgproxy has for them`()
    async throws
  {
    let check = SignatureCheck(secretAccessKey: "wJalr/hidden+key", region: "auto")
    try await ImageServer.run { bucket in
      bucket.serve("/photos/2024/cat.png", .body(try Quadrants.png()))
      let read = try configuration([
        "IMGPROXY_USE_S3": "true", "IMGPROXY_S3_ENDPOINT": "http://127.0.0.1:\(bucket.port)",
        "IMGPROXY_S3_REGION": "auto", "IMGPROXY_URL_REPLACEMENTS": "gs://=s3://",
        "AWS_ACCESS_KEY_ID": "GOOG1EXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalr/hidden+key",
      ])
      try await RunningService.run {
        ($0.storage, $0.sourceRewriting) = (read.storage, read.sourceRewriting)
      } body: { service, _ async throws in
        #expect(try await service.get("/_/w:40/plain/gs://photos/2024/cat.png@png").status == 200)
        let request = try #require(bucket.requests.first)
        #expect(request.path == "/photos/2024/cat.png" && check.isValid(request))
        #expect(request.headers["Authorization"]?.contains("GOOG1EXAMPLE") == true)
      }
    }
  }

  @Test func `the bucket is in the host if the storage has it there`() async throws {
    try await ImageServer.run { bucket in
      let storage = try storage(at: bucket.port, .virtualHost)
      bucket.serve("/cat.png", .body(try Quadrants.png()))
      try await RunningService.run {
        $0.storage = storage
        $0.addressPolicy = .any
      } body: { service, _ async throws in
        #expect(try await service.get("/_/w:40/plain/s3://photos/cat.png").status == 200)
        let request = try #require(bucket.requests.first)
        #expect(request.headers["Host"] == "photos.localhost:\(bucket.port)" && check.isValid(request))
      }
    }
  }

  @Test(arguments: [S3Storage.Addressing.path, .virtualHost])
  func `a request that has been redirected to another bucket is not signed`(_ addressing: S3Storage.Addressing)
    async throws
  {
    let storage = try storage(at: 9000, addressing)
    let bucket = StorageBucket(storage: storage, name: "photos", role: nil, allowed: [])
    let own = try #require(storage.url(bucket: "photos", key: "cat.png"))
    #expect(try await bucket.signed(TransportRequest(url: own)).isSigned)
    let other = try #require(storage.url(bucket: "others", key: "cat.png"))
    await #expect(throws: SourceError.notAllowed) { try await bucket.signed(TransportRequest(url: other)) }
    let elsewhere = TransportRequest(url: web("http://example.com/photos/cat.png"))
    #expect(try await !bucket.signed(elsewhere).isSigned)
  }

  @Test func `the list of sources applies to buckets, and web URLs are never signed`() async throws {
    try await ImageServer.run { bucket in
      let storage = try storage(at: bucket.port)
      let object = bucket.serve("/photos/public/cat.png", .body(try Quadrants.png()))
      bucket.serve("/photos/private.png", .body(try Quadrants.png()))
      let patterns = ["s3://photos/public/", "http://127.0.0.1:\(bucket.port)/"].compactMap(SourcePattern.init)
      try await RunningService.run {
        $0.storage = storage
        $0.allowedSources = patterns
      } body: { service, _ async throws in
        #expect(try await service.get("/_/w:40/plain/s3://photos/public/cat.png").status == 200)
        for source in ["s3://photos/private.png", "s3://other/public/cat.png", "s3://photos/public/../private.png"] {
          #expect([400, 403].contains(try await service.get("/_/w:40/plain/\(source)").status), "\(source)")
        }
        #expect(try await service.image("w:40", of: object).status == 200)
        #expect(bucket.requests.map { $0.headers["Authorization"] != nil } == [true, false])
      }
    }
    try await RunningService.run { service, _ async throws in
      #expect(try await service.get("/_/w:40/plain/s3://photos/cat.png").status == 404)
    }
  }

  @Test func `the settings of a storage are complete, and its keys are not shown`() throws {
    let keys = ["--s3-access-key", "AKIDEXAMPLE", "--s3-secret-key", "hidden"]
    let amazon = try #require(try configuration(["--insecure", "--s3-region", "eu-west-3"] + keys).storage)
    #expect(
      amazon.url(bucket: "photos", key: "a.png")?.absoluteString
        == "https://photos.s3.eu-west-3.amazonaws.com/a.png")
    #expect(amazon.credentials?.secretAccessKey == "hidden")
    let minio = ["--insecure", "--s3-endpoint", "http://minio:9000", "--s3-path-style"]
    let own = try #require(try configuration(minio).storage)
    #expect(own.url(bucket: "photos", key: "a.png")?.absoluteString == "http://minio:9000/photos/a.png")
    #expect(own.credentials == nil && own.region == "us-east-1")
    #expect(try configuration(["--insecure"]).storage == nil)
    for arguments in [keys, ["--s3-region", "r"] + keys.prefix(2), ["--s3-path-style"], ["--s3-endpoint", "minio"]] {
      #expect(throws: ConfigurationError.self) { try configuration(["--insecure"] + arguments) }
    }
    guard
      case .check(let report, _) = try ServiceCommand(
        arguments: ["--insecure", "--check", "--s3-region", "r", "--s3-session-token", "t0ken"] + keys, environment: [:]
      )
    else { throw URLError(.unknown) }
    #expect(report.contains("s3-secret-key = (secret)") && !report.contains("hidden") && !report.contains("t0ken"))
    #expect(!report.contains("AKIDEXAMPLE"))
  }
}
