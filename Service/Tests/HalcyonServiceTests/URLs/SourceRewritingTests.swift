import Foundation
import Halcyon
@_spi(Programs) import HalcyonProcessing
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Sources, prefixes and secrets of paths.
@Suite(.integrationTest)
struct SourceRewritingTests {
  @Test(arguments: [
    ("mys3://=s3://bucket/", "mys3://a/b", "s3://bucket/a/b"), ("a=b", "xa", "xa"), ("a=", "abc", "bc"),
    ("http://*.e.com/=https://cdn/${1}/", "http://img.e.com/x/y", "https://cdn/img/x/y"),
    ("x://*/*/=https://${2}.${1}/", "x://a/b/c/d", "https://b.a/c/d"), ("x://*=y", "x://a/b", "y/b"),
    ("*b*c=$1-$2", "abbcc!", "ab-c!"), ("a/*/b=z", "a/x/y/b", "a/x/y/b"), ("*/*a*b=${3}$2", "x/aabab/", "aab/"),
    ("*-*=$2$$1$3", "$2-b", "b$$2$3"), ("a*/b*=${1", "ax/by", "${1"),
  ])
  func `the beginning of a source is replaced`(pattern: String, source: String, result: String) throws {
    let replacement = try #require(SourceRewriting.Replacement(pattern))
    #expect(replacement.applied(to: source) == result && replacement.description == pattern)
    #expect(SourceRewriting.Replacement("pattern") == nil && SourceRewriting.Replacement("=x") == nil)
  }

  @Test func `replacements are applied in order, and before the base URL`() {
    var rewriting = SourceRewriting()
    rewriting.replacements = ["a=b", "b=c/", "x:=https://e.com/", "https://e.com/y=y"].compactMap {
      SourceRewriting.Replacement($0)
    }
    rewriting.baseURL = "https://e.com/"
    #expect(rewriting.applied(to: "a1") == "https://e.com/c/1")
    // What a replacement makes of a source decides whether it has the base URL.
    #expect(rewriting.applied(to: "x:1") == "https://e.com/1")
    #expect(rewriting.applied(to: "https://e.com/y1") == "https://e.com/y1")
  }

  @Test func `a pattern with many wildcards takes a time that grows with the source`() throws {
    let pattern = String(repeating: "a*", count: 40) + "b=x"
    let source = String(repeating: "a", count: 8192)
    #expect(try #require(SourceRewriting.Replacement(pattern)).applied(to: source) == source)
  }

  @Test func `a path has a prefix, and its source a base URL`() async throws {
    try await ImageServer.run { images in
      let source = images.serve("/photos/a.png", .body(try Quadrants.png()))
      try await RunningService.run {
        $0.pathPrefix = "/img"
        $0.healthPath = "/alive"
        $0.sourceRewriting.baseURL = source.absoluteString.replacing("a.png", with: "")
      } body: { service, _ async throws in
        for path in ["/img/_/w:40/plain/a.png", "/img/_/w:40/plain/\(source.absoluteString)", "/img/_/w:41/YS5wbmc"] {
          for _ in 0..<2 { #expect(try await service.get(path).status == 200, "\(path)") }
        }
        #expect(try await service.get("/_/w:40/plain/a.png").status == 404)
        for path in ["/health", "/ready", "/metrics", "/img/health", "/img/alive"] {
          #expect(try await service.get(path).status == 200, "\(path)")
        }
      }
    }
  }

  @Test func `a Base64 URL may have a filename behind it`() async throws {
    try await RunningService.run {
      $0.hasFilenamesInBase64 = true
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      let encoded = Base64URL.encode(source.absoluteString.utf8)
      for path in [
        "\(encoded).webp", "\(encoded).webp/cat.jpg", "\(encoded.prefix(5))/\(encoded.dropFirst(5)).webp/cat",
      ] {
        let answer = try await service.get("/_/w:40/\(path)")
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/webp", "\(path)")
      }
    }
  }

  @Test func `a secret is required of images, also of those in memory, and trusted signatures are accepted`()
    async throws
  {
    try await RunningService.run {
      $0.secret = "open"
      $0.isInsecure = false
      $0.keyPairs = [URLSigner.KeyPair(key: Data("secret".utf8), salt: Data("hello".utf8))]
      $0.trustedSignatures = ["mine"]
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      let path = "w:40/plain/\(source.absoluteString)"
      for _ in 0..<2 {
        let answer = try await service.get("/mine/\(path)", ["Authorization": "Bearer open"])
        #expect(answer.status == 200)
        #expect(try await service.get("/mine/\(path)").status == 403)
        #expect(try await service.get("/mine/\(path)", ["Authorization": "Bearer other"]).status == 403)
      }
      #expect(try await service.get("/yours/\(path)", ["Authorization": "Bearer open"]).status == 403)
      #expect(try await service.get("/health").status == 200)
    }
  }

  @Test func `options change limits where the service allows it`() async throws {
    for isAllowed in [true, false] {
      try await RunningService.run {
        $0.allowsSecurityOptions = isAllowed
        $0.resultDimension = 50
      } body: { service, origin in
        let source = origin.serve("/a.png", .body(try Quadrants.png()))
        let scaled = try await service.image("rs:fill:80:60/pd:10", of: source).bitmap()
        #expect(max(scaled.size.width, scaled.size.height) == 50)
        let smaller = try await service.image("mrd:20", of: source)
        let refused = try await service.image("msr:0.001", of: source)
        #expect(smaller.status == (isAllowed ? 200 : 400) && refused.status == (isAllowed ? 422 : 400))
        // Also where the source is sent as it is.
        #expect(try await service.image("msr:0.001/raw:1", of: source, as: nil).status == (isAllowed ? 422 : 400))
        let fresh = origin.serve("/b.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
        let long = try await service.image("msfs:100", of: fresh)
        #expect(long.status == (isAllowed ? 422 : 400) && long.text.contains(isAllowed ? "over the 100" : "limit"))
        #expect(try await service.image("maf:5/mafr:1/msfs:9999", of: fresh).status == (isAllowed ? 200 : 400))
        // The source, and a result of it, are in the cache.
        for _ in 0..<2 {
          #expect(try await service.image("w:22", of: fresh).status == 200)
          await service.service.flush()
          for options in ["w:22", "w:23", "raw:1", "skp:png"] {
            let limited = try await service.image("msfs:100/\(options)", of: fresh, as: nil)
            #expect(limited.status == (isAllowed ? 422 : 400), "\(options)")
          }
        }
        if isAllowed { #expect(try smaller.bitmap().size == PixelSize(width: 20, height: 15)) }
        #expect(refused.text.contains(isAllowed ? "over the 1000" : "allow-security-options"))
      }
    }
  }
}
