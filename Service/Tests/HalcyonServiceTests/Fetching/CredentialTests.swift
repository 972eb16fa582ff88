import Foundation
import HTTPTypes
import Halcyon
import HalcyonBackend
import HalcyonHTTP
@_spi(Programs) import HalcyonProcessing
import HalcyonTestSupport
import HalcyonTestTraits
import InMemoryTracing
import Logging
import Testing

@testable import HalcyonService

/// Every request that the service sends, and the secrets that it may carry; no output has any of them.
@Suite(.integrationTest)
struct CredentialTests {
  /// A text that must not be seen where it does not belong.
  private struct Secret: Hashable {
    let text: String

    /// The secret itself, and what is always the same of it in Base64, whatever is around it.
    var forms: [String] {
      [text]
        + (0..<3).map { offset in
          let encoded = Data((String(repeating: "x", count: offset) + text).utf8).base64EncodedString()
          let end = (offset + text.utf8.count) * 4 / 3
          let inner = String(encoded.prefix(end).dropFirst((offset * 4 + 2) / 3))
          return inner.replacing("+", with: "-").replacing("/", with: "_")
        }
    }

    func isIn(_ output: String) -> Bool {
      let text = output.replacing("+", with: "-").replacing("/", with: "_")
      return forms.contains { text.contains($0.replacing("/", with: "_")) }
    }
  }

  private static let password = Secret(text: "pwd0source0pwd")
  private static let presigned = Secret(text: "sig0query0sig")
  private static let secretKey = Secret(text: "key0storage0key")
  private static let sessionToken = Secret(text: "tok0session0tok")
  private static let containerToken = Secret(text: "tok0container0tok")
  private static let purgeToken = Secret(text: "tok0purge0tok")
  private static let serviceSecret = Secret(text: "sec0service0sec")
  private static let cookie = Secret(text: "coo0client0coo")
  private static let all = [
    password, presigned, secretKey, sessionToken, containerToken, purgeToken, serviceSecret, cookie,
  ]

  /// The servers that requests go to.
  private struct Servers {
    let (site, other, storage, node, metadata): (ImageServer, ImageServer, ImageServer, ImageServer, ImageServer)

    /// The paths of requests, with the secrets of each.
    func carried() -> [String: Set<Secret>] {
      let named = [
        ("site", site), ("other", other), ("storage", storage), ("node", node), ("metadata", metadata),
      ]
      var carried: [String: Set<Secret>] = [:]
      for (name, server) in named {
        for request in server.requests {
          let headers = request.headers.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
          let text = request.path + "\n" + headers + "\n" + String(decoding: request.body, as: UTF8.self)
          // Those of purges and of stored results have hashes and sources.
          let path =
            ["/cache/", "/results/"].first { request.path.hasPrefix($0) }.map { $0 + "…" }
            ?? String(request.path.prefix { $0 != "?" })
          carried["\(name)\(path)", default: []].formUnion(CredentialTests.all.filter { $0.isIn(text) })
        }
      }
      return carried
    }
  }

  private static func withServers(_ body: (Servers) async throws -> Void) async throws {
    try await ImageServer.run { site in
      try await ImageServer.run { other in
        try await ImageServer.run { storage in
          try await ImageServer.run { node in
            try await ImageServer.run { metadata in
              try await body(Servers(site: site, other: other, storage: storage, node: node, metadata: metadata))
            }
          }
        }
      }
    }
  }

  @Test func `each request carries its own secrets, and no output any`() async throws {
    try await Self.withServers { servers in
      let (lines, tracer) = (EventLog<String>(), InMemoryTracer())
      let logger = Logger(label: "test") { _ in LineLog(lines, level: .trace) }
      let paths = try Self.prepare(servers)
      let storage = try #require(S3Storage(region: "eu-west-3", endpoint: servers.storage.url("")))
      let keys = servers.metadata.url("/keys")
      let pair = URLSigner.KeyPair(key: Data("k".utf8), salt: Data("s".utf8))
      var outputs: [String] = []
      var statuses: [Int: Int] = [:]
      try await RunningService.run(
        {
          ($0.isInsecure, $0.keyPairs, $0.secret) = (false, [pair], Self.serviceSecret.text)
          ($0.storage, $0.deniedBuckets) = (storage, ["denied"])
          ($0.resultsBucket, $0.results.storesOriginals) = ("results", true)
          $0.storageRole = .container(keys, token: Self.containerToken.text, tokenFile: nil)
          ($0.purgeToken, $0.purgeNodes) = (Self.purgeToken.text, [servers.node.url("")])
          $0.imgproxyMetrics = "imgproxy"
        }, logger: logger, tracer: tracer
      ) { service, _ in
        let client: HTTPHeaders = [
          "Authorization": "Bearer \(Self.serviceSecret.text)", "Cookie": "a=\(Self.cookie.text)",
          "Referer": "http://client.example/?\(Self.presigned.text)",
        ]
        let signer = URLSigner(pairs: [pair])
        func take(_ answer: RunningService.Answer) {
          outputs.append("\(answer.headers.fields.map { "\($0.name): \($0.value)" })\n\(answer.text)")
          statuses[answer.status, default: 0] += 1
        }
        for path in paths {
          let signature = try #require(signer.signature(of: path))
          for path in ["/\(signature)\(path)", "/info/\(signature)\(path)", "/wrong\(path)", path] {
            take(try await service.get(path, client))
          }
        }
        let purge: HTTPHeaders = ["Authorization": "Bearer \(Self.purgeToken.text)"]
        let delete = try #require(HTTPMethod("DELETE"))
        for path in paths {
          let source = path.replacing(/^\/[^\/]*:[^\/]*/, with: "")
          let none: HTTPHeaders = [:]
          for (method, headers) in [(delete, purge), (delete, none), (HTTPMethod.get, client)] {
            take(try await service.get("/cache" + source, method: method, headers))
          }
        }
        outputs.append(try await service.get("/metrics").text)
      }
      #expect(statuses[200, default: 0] > 20, "\(statuses)")
      Self.expectSecrets(servers)
      outputs += lines.events
      for span in tracer.finishedSpans {
        var text = "\(span.operationName) \(span.status.map { "\($0)" } ?? "")"
        span.attributes.forEach { text += " \($0)=\($1)" }
        outputs.append(text)
      }
      #expect(outputs.contains { $0.hasPrefix("Responded") } && outputs.contains { $0.contains("url.path") })
      for output in outputs {
        for secret in Self.all { #expect(!secret.isIn(output), "\(secret.text): \(output)") }
      }
    }
  }

  /// Sets up what the servers respond, and returns the paths to request without their signatures.
  private static func prepare(_ servers: Servers) throws -> [String] {
    let image = Reply.body(try Quadrants.png(), headers: ["ETag": "\"a\""])
    let (site, other, storage) = (servers.site, servers.other, servers.storage)
    site.serve("/a.png", .status(503), image)
    site.serve("/there.png", image)
    site.serve("/moved.png", .redirect(to: "/there.png"))
    site.serve("/left.png", .redirect(to: other.url("/b.png").absoluteString))
    site.serve("/presigned.png", image)
    site.serve("/stored.png", .redirect(to: storage.url("/denied/k.png").absoluteString))
    site.serve("/broken.png", .body(Data("no image".utf8)))
    site.serve("/gone.png", .redirect(to: "/login?token=\(presigned.text)"))
    for path in ["/b.png", "/c.png"] { other.serve(path, image) }
    storage.serve("/photos/o.png", .status(503), image)
    storage.serve("/photos/left.png", .redirect(to: other.url("/c.png").absoluteString))
    storage.serve("/photos/denied.png", .redirect(to: "/denied/k.png"))
    storage.serve("/photos/region.png", .status(301, headers: ["x-amz-bucket-region": "us-east-2"]), image)
    storage.serve("/denied/k.png", .status(301, headers: ["x-amz-bucket-region": "us-east-2"]))
    let end = Date.now.addingTimeInterval(7200).formatted(.iso8601)
    servers.metadata.serve(
      "/keys",
      .body(
        Data(
          """
          {"AccessKeyId": "id", "SecretAccessKey": "\(secretKey.text)", "Token": "\(sessionToken.text)",
          "Expiration": "\(end)"}
          """.utf8)))
    let host = "127.0.0.1:\(site.port)"
    let sources =
      ["a", "moved", "left", "stored", "broken", "missing"].map { "http://ann:\(password.text)@\(host)/\($0).png" }
      + ["presigned", "left", "gone"].map { "http://\(host)/\($0).png?X-Amz-Signature=\(presigned.text)" }
      + ["o", "left", "denied", "region"].map { "s3://photos/\($0).png" }
      + ["s3://denied/k.png", storage.url("/denied/k.png").absoluteString]
    let escaped = sources.map {
      $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "/:."))) ?? ""
    }
    // The same twice: the second time a stored source is revalidated.
    return escaped.flatMap { ["/w:40/plain/\($0)@png", "/w:30/plain/\($0)"] }
      + sources.map { "/w:20/\(Base64URL.encode($0.utf8)).png" } + malformed(host)
  }

  /// What clients send by mistake.
  private static func malformed(_ host: String) -> [String] {
    let (user, query) = ("ann:\(password.text)@\(host)", "a.png?sig=\(presigned.text)")
    let url = "http://\(user)/\(query)"
    let encoded = Base64URL.encode(url.utf8)
    let escaped = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let twice = escaped.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return [
      "/w:1/plain/\(user)/a.png", "/w:1/plain/ann:a@\(password.text)@\(host)/a.png", "/w:1/plain/http:/\(user)/a.png",
      "/w:1/plain/http://ann:a/\(password.text)@\(host)/a.png", "/w:1/plain/http://ann:a@\(password.text)",
      "/w:1/plain/http://ann:a%2F\(password.text)%40\(host)/a.png@png", "/w:1/plain/\(twice)", "/w:1/plain/\(escaped)%",
      "/w:1/\(user)/plain/http://\(host)/a.png", "/\(user)", "/http://\(user)/a.png", "/w:1/http://\(user)/a.png",
      "/\(encoded)", "/w:1/\(encoded)x", "/w:1/!\(encoded)", "/w:1/\(encoded).\(password.text)", "/cb:\(encoded):1/x/y",
      "/cb:\(encoded)/plain/http://\(host)/there.png", "/w:1:\(encoded)/plain/http://\(host)/there.png",
      "/\(encoded):1/plain/http://\(host)/there.png", "/w:\(password.text)@a/plain/http://\(host)/there.png",
      "/w:1/plain/http://\(host)/sub/\(encoded)", "/w:1/plain/http://\(host)/x/plain/\(escaped)", "/enc/\(encoded)",
      "/w:1/enc/\(encoded)", "/w:1/plain/ftp://\(user)/a", "/w:1/plain/http://\(host)/there.png@\(encoded)",
      "/w:1/\(encoded.prefix(7))/\(encoded.dropFirst(7).prefix(9))/\(encoded.dropFirst(16)).zzz",
      "/preset:\(encoded)/plain/x",
    ]
  }

  private static func expectSecrets(_ servers: Servers) {
    let signed: Set = [sessionToken]
    let allowed: [String: Set<Secret>] = [
      "site/a.png": [password, presigned], "site/moved.png": [password], "site/there.png": [password],
      "site/left.png": [password, presigned], "site/stored.png": [password], "site/broken.png": [password],
      "site/missing.png": [password], "site/presigned.png": [presigned], "site/gone.png": [presigned],
      "site/login": [presigned], "storage/photos/o.png": signed, "storage/photos/left.png": signed,
      "storage/photos/denied.png": signed, "storage/photos/region.png": signed, "metadata/keys": [containerToken],
      // The source to purge, or of a stored result, which nodes and storage know, too.
      "node/cache/…": [purgeToken, password, presigned], "storage/results/…": [password, presigned],
    ]
    let carried = servers.carried()
    // Paths that clients have put URLs into are the source's own.
    for (path, secrets) in carried where !path.hasPrefix("site/sub/") && !path.hasPrefix("site/x/") {
      let others = secrets.subtracting(allowed[path] ?? []).map(\.text)
      #expect(others.isEmpty, "\(path)")
    }
    // What was sent at all, so that nothing is missing above.
    for (path, secrets) in allowed where !["site/a.png", "site/left.png"].contains(path) {
      #expect(carried[path] == secrets, "\(path)")
    }
    #expect(carried["other/b.png"] == [] && carried["other/c.png"] == [] && carried["storage/denied/k.png"] == [])
    #expect(servers.storage.requests(for: "/photos/region.png").count > 1)
  }
}
