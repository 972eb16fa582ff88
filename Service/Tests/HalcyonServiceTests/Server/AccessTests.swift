import Foundation
import Halcyon
import HalcyonService
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// What the service refuses.
@Suite(.integrationTest)
struct AccessTests {
  private let pair = URLSigner.KeyPair(key: Data("secret".utf8), salt: Data("hello".utf8))

  @Test func `a signed URL is served, and a changed one refused`() async throws {
    try await RunningService.run {
      $0.isInsecure = false
      $0.keyPairs = [pair]
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      let path = "/w:40/plain/\(source.absoluteString)@png"
      let signature = try #require(URLSigner(pairs: [pair]).signature(of: path))
      #expect(try await service.get("/\(signature)\(path)").status == 200)
      for changed in ["/_\(path)", "/\(signature)/w:41\(path.dropFirst(5))", "/\(signature.dropLast())\(path)"] {
        let answer = try await service.get(changed)
        #expect(answer.status == 403)
        #expect(answer.headers["Cache-Control"] == "no-store")
      }
      let info = "/plain/\(source.absoluteString)"
      #expect(try await service.get("/info/_\(info)").status == 403)
      let infoSignature = try #require(URLSigner(pairs: [pair]).signature(of: info))
      #expect(try await service.get("/info/\(infoSignature)\(info)").status == 200)
    }
  }

  @Test func `nothing that is not an image is sent, also not raw`() async throws {
    try await RunningService.run { service, origin in
      let page = origin.serve(
        "/secret", .body(Data("<html>password</html>".utf8), headers: ["Content-Type": "image/png"]))
      for options in ["", "raw:1", "w:40", "skp:png"] {
        let answer = try await service.image(options, of: page)
        #expect(answer.status == 422)
        #expect(!answer.text.contains("password") && !answer.text.contains("127.0.0.1"))
      }
    }
  }

  @Test func `errors of the source have a status and no URL`() async throws {
    try await RunningService.run { service, origin in
      let cases = [
        (origin.url("/missing"), 404), (origin.serve("/broken", .status(500)), 502),
        (try origin.refusingURL("/refused"), 502), (origin.serve("/empty", .body(Data())), 502),
        (origin.serve("/cut.png", .body(try Quadrants.png().prefix(100))), 422),
      ]
      for (source, status) in cases {
        let answer = try await service.image("w:40", of: source)
        #expect(answer.status == status, "\(source.path): \(answer.status) \(answer.text)")
        #expect(!answer.text.contains("127.0.0.1") && !answer.text.contains(source.path))
        #expect(answer.headers["Cache-Control"] == "no-store" && answer.headers["ETag"] == nil)
      }
    }
  }

  @Test func `sources and results beyond the limits are refused`() async throws {
    try await RunningService.run {
      $0.limits.pixelCount = 2000
      $0.resultSideLimit = 100
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      #expect(try await service.image("w:40/h:40", of: source).status == 422)
      let exact = origin.serve("/c.png", .body(try Quadrants.png(width: 50, height: 40)))
      #expect(try await service.image("w:40/h:40", of: exact).status == 200)
      let small = origin.serve("/b.png", .body(try Quadrants.png(width: 20, height: 20)))
      #expect(try await service.image("w:40/h:40/el:1", of: small).status == 200)
      #expect(try await service.image("w:400/h:400/el:1", of: small).status == 400)
    }
    try await RunningService.run {
      $0.limits.encodedByteCount = 100
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Photos.data("chelsea.png")))
      #expect(try await service.image("w:40/h:40", of: source).status == 422)
    }
  }

  @Test func `SVG is sent sanitised without a format, and as it is only if that is allowed`() async throws {
    let drawing = Data(
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>alert(1)</script>\
      <rect width="40" height="40" fill="#f00" onclick="alert(2)"/></svg>
      """.utf8)
    for isAllowed in [false, true] {
      try await RunningService.run {
        $0.sendsSVG = isAllowed
        $0.automaticFormats = [.webp]
      } body: { service, origin in
        let compressed = origin.serve("/a.svgz", .body(drawing.gzipped))
        let source = origin.serve("/a.svg", .body(drawing))
        for (source, format) in [(source, nil), (source, "svg"), (compressed, nil)] {
          let sent = try await service.image("w:80", of: source, as: format, ["Accept": "image/webp"])
          #expect(sent.status == 200 && sent.headers["Content-Type"] == "image/svg+xml")
          #expect(sent.text.contains("<rect width=\"40\"") && !sent.text.contains("alert"), "\(sent.text)")
          #expect(sent.headers["Content-Security-Policy"]?.contains("sandbox") == true)
          // As it came; the client of the test decompresses it.
          #expect((sent.headers["Content-Encoding"] == "gzip") == (source == compressed))
        }
        let raw = try await service.image("raw:1", of: source, as: nil)
        #expect(raw.status == (isAllowed ? 200 : 422))
        #expect(!isAllowed || raw.body == drawing)
        #expect((raw.headers["Content-Security-Policy"]?.contains("sandbox") == true) == isAllowed)
        for source in [source, compressed] {
          #expect(try await service.image("w:80", of: source).bitmap().size == PixelSize(width: 80, height: 80))
        }
        guard isAllowed else { return }
        #expect(try await service.image("raw:1", of: compressed, as: nil).headers["Content-Encoding"] == "gzip")
      }
    }
  }

  @Test func `a sanitised SVG is kept as other results are`() async throws {
    let drawing = Data(
      "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><script>alert(1)</script></svg>".utf8)
    let clock = TestClock()
    try await RunningService.run(time: clock) { service, origin in
      let source = origin.serve("/a.svg", .body(drawing, headers: ["Cache-Control": "max-age=600"]))
      for age in [0, 6, 12] {
        let sent = try await service.image("", of: source, as: nil)
        #expect(sent.status == 200 && sent.text.contains("<svg") && !sent.text.contains("alert"))
        #expect(sent.headers["Cache-Status"]?.hasPrefix(age == 0 ? "halcyon; fwd=miss" : "halcyon; hit") == true)
        await service.service.flush()
        clock.advance(by: .seconds(6))
      }
      #expect(try await service.get("/metrics").text.contains("halcyon_decodes_total 1\n"))
      #expect(try await !service.image("skp:svg", of: source, as: nil).text.contains("alert"))
    }
  }

  @Test func `SVG is drawn without a format, or sent as it is, if the service is configured so`() async throws {
    let drawing = Data(
      "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><script>alert(1)</script></svg>".utf8)
    try await RunningService.run {
      ($0.drawsSVG, $0.sanitizesSVG) = (true, false)
    } body: { service, origin in
      let source = origin.serve("/a.svg", .body(drawing))
      let drawn = try await service.image("w:80", of: source, as: nil)
      #expect(drawn.headers["Content-Type"] == "image/png")
      #expect(try await service.image("w:80", of: source, as: "svg").body == drawing)
      #expect(try await service.image("skp:svg", of: source, as: nil).body == drawing)
      let damaged = origin.serve("/b.svg", .body(drawing.prefix(60)))
      #expect(try await service.image("w:80", of: damaged, as: nil).status == 422)
    }
    try await RunningService.run { service, origin in
      let damaged = origin.serve("/b.svg", .body(drawing.prefix(60)))
      let answer = try await service.image("", of: damaged, as: nil)
      #expect(answer.status == 422)
    }
  }

  @Test func `a format that is not written is an error that names others`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      for (format, advice) in [("tiff", "skip_processing:tif"), ("heic", "webp"), ("svg", "Only SVG sources")] {
        let answer = try await service.image("w:40", of: source, as: format)
        #expect(answer.status == 422 && answer.text.contains(advice), "\(answer.text)")
      }
    }
  }

  @Test func `other methods are refused`() async throws {
    try await RunningService.run { service, _ in
      // Only what is cached can be deleted.
      for method in [HTTPMethod.post, .delete] {
        let answer = try await service.get("/health", method: method)
        #expect(answer.status == 405 && answer.headers["Allow"] == "GET, HEAD, OPTIONS")
      }
    }
  }

  @Test func `the secret protects all but the health of the service`() async throws {
    try await TemporaryDirectory.run { folder in
      try Quadrants.png().write(to: folder.appending(path: "a.png"))
      try await RunningService.run {
        ($0.secret, $0.showsGallery, $0.localRoot, $0.healthPath) = ("open", true, folder, "/ping")
      } body: { service, _ async throws in
        for path in [
          "/", "/gallery.json", "/gallery.js", "/gallery.css", "/favicon.ico", "/info/_/plain/local:///a.png",
        ] {
          #expect(try await service.get(path).status == 403, "\(path)")
          for credentials in ["Bearer wrong", "Bearer OPEN", "Beareropen", "Basic open", "open", "Bearer"] {
            #expect(try await service.get(path, ["Authorization": credentials]).status == 403, "\(path) \(credentials)")
          }
          for scheme in ["Bearer", "bearer", "BEARER"] {
            #expect(try await service.get(path, ["Authorization": "\(scheme) open"]).status != 403, "\(path) \(scheme)")
          }
        }
        for path in ["/health", "/ready", "/ping"] { #expect(try await service.get(path).status == 200, "\(path)") }
      }
    }
  }
}
