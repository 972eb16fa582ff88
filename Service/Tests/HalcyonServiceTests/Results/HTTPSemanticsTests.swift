import Foundation
import Halcyon
import HalcyonImaging
import HalcyonProcessing
import HalcyonTestSupport
import HalcyonTestTraits
import HTTPTypes
import NIOCore
import Testing

@testable import HalcyonService

/// Validators, ranges, caching headers and names of results.
@Suite(.integrationTest)
struct HTTPSemanticsTests {
  private let head = HTTPMethod("HEAD") ?? .get

  @Test func `a result has validators, and is not sent again to a client that has it`() async throws {
    try await RunningService.run { service, origin in
      let date = "Mon, 02 Jan 2023 03:04:05 GMT"
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Last-Modified": date]))
      let first = try await service.image("w:40", of: source)
      let tag = try #require(first.headers["ETag"])
      #expect(tag.hasPrefix("\"") && first.headers["Last-Modified"] == date)
      for headers: HTTPHeaders in [
        ["If-None-Match": tag], ["If-None-Match": "\"x\", W/\(tag)"], ["If-None-Match": "*"],
        ["If-Modified-Since": date], ["If-Modified-Since": "Tue, 03 Jan 2023 03:04:05 GMT"],
      ] {
        let answer = try await service.image("w:40", of: source, as: "png", headers)
        #expect(answer.status == 304 && answer.body.isEmpty)
        #expect(answer.headers["ETag"] == tag && answer.headers["Cache-Control"] != nil)
      }
      for headers: HTTPHeaders in [
        ["If-None-Match": "\"other\""], ["If-Modified-Since": "Sun, 01 Jan 2023 03:04:05 GMT"],
        ["If-None-Match": "\"other\"", "If-Modified-Since": date],
      ] {
        #expect(try await service.image("w:40", of: source, as: "png", headers).status == 200)
      }
      #expect(try await service.image("w:41", of: source).headers["ETag"] != tag)
    }
  }

  @Test func `tags depend on a text, and the source is named as canonical, where that is configured`() async throws {
    var tags: [String] = []
    for isConfigured in [false, true] {
      try await RunningService.run {
        ($0.entityTagBuster, $0.sendsCanonicalLink) = (isConfigured ? "2" : "", isConfigured)
      } body: { service, origin in
        let source = origin.serve("/a%20b.png", .body(try Quadrants.png()))
        let path = source.absoluteString.replacing("%", with: "%25")
        // A password is no part of it.
        for path in [path, path.replacing("//", with: "//ann:pw%40")] {
          let answer = try await service.get("/_/w:40/plain/\(path)@png")
          tags.append(try #require(answer.headers["ETag"]))
          #expect(answer.headers["Link"] == (isConfigured ? "<\(source.absoluteString)>; rel=\"canonical\"" : nil))
        }
      }
    }
    #expect(tags.count == 4 && tags[0] != tags[2])
  }

  @Test func `a text that is no date is not passed on as the date of a source`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Last-Modified": "yesterday"]))
      let answer = try await service.image("w:40", of: source)
      #expect(answer.status == 200 && answer.headers["Last-Modified"] == nil)
    }
  }

  @Test func `the date of a source is not earlier than a configured one`() async throws {
    let (early, configured, late) = (
      "Sun, 01 Jan 2023 03:04:05 GMT", "Mon, 01 Jan 2024 00:00:00 GMT", "Wed, 01 Jan 2025 03:04:05 GMT"
    )
    try await RunningService.run {
      $0.earliestModification = Date(timeIntervalSince1970: 1_704_067_200)
    } body: { service, origin in
      for (number, (date, expected)) in [(early, configured), (late, late), ("never", nil)].enumerated() {
        let source = origin.serve(
          "/\(number).png", .body(try Quadrants.png(), headers: ["Last-Modified": date]))
        let answer = try await service.image("w:40", of: source)
        #expect(answer.status == 200 && answer.headers["Last-Modified"] == expected)
        let again = try await service.image("w:40", of: source, as: nil, ["If-Modified-Since": early])
        #expect(again.status == 200, "\(date)")
      }
    }
  }

  @Test func `HEAD has the headers of GET and no body, and the connection goes on`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      let path = "/_/w:40/plain/\(source.absoluteString)@png"
      let get = try await service.get(path)
      for _ in 0..<3 {
        let answer = try await service.get(path, method: head)
        #expect(answer.status == 200 && answer.body.isEmpty)
        for name in ["Content-Type", "Content-Length", "ETag", "Cache-Control", "Content-Disposition"] {
          #expect(answer.headers[name] == get.headers[name], "\(name)")
        }
      }
      // Ranges are for GET.
      let part = try await service.get(path, method: head, ["Range": "bytes=0-9"])
      #expect(part.status == 200)
      #expect(part.headers["Content-Length"] == get.headers["Content-Length"])
      #expect(try await service.get("/nothing", method: head).status == 400)
    }
  }

  @Test func `ranges of a result are sent`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.jpg", .body(try Photos.data("rocket.jpg")))
      let whole = try await service.image("w:300", of: source)
      let count = whole.body.count
      for (range, expected) in [
        ("bytes=0-9", 0..<10), ("bytes=10-", 10..<count), ("bytes=-5", (count - 5)..<count),
        ("bytes=5-99999999", 5..<count),
      ] {
        let part = try await service.image("w:300", of: source, as: "png", ["Range": range])
        #expect(part.status == 206)
        #expect(part.body == whole.body[expected])
        #expect(
          part.headers["Content-Range"] == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/\(count)")
      }
      let outside = try await service.image("w:300", of: source, as: "png", ["Range": "bytes=99999999-"])
      #expect(outside.status == 416 && outside.headers["Content-Range"] == "bytes */\(count)")
      for headers: HTTPHeaders in [
        ["Range": "bytes=9-1"], ["Range": "lines=1-2"], ["Range": "bytes=0-1,3-4"],
        ["Range": "bytes=0-9", "If-Range": "\"other\""],
      ] {
        #expect(try await service.image("w:300", of: source, as: "png", headers).status == 200)
      }
      let tag = try #require(whole.headers["ETag"])
      let part = try await service.image("w:300", of: source, as: "png", ["Range": "bytes=0-9", "If-Range": tag])
      #expect(part.status == 206)
    }
  }

  @Test func `the lifetime is fixed, or that of the source`() async throws {
    for passes in [false, true] {
      try await RunningService.run {
        $0.timeToLive = 600
        $0.passesCacheControl = passes
      } body: { service, origin in
        let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=7"]))
        let silent = origin.serve("/b.png", .body(try Quadrants.png()))
        for _ in 0..<2 {
          let answer = try await service.image("w:40", of: source)
          #expect(answer.headers["Cache-Control"] == (passes ? "max-age=7" : "public, max-age=600"))
        }
        #expect(try await service.image("w:40", of: silent).headers["Cache-Control"] == "public, max-age=600")
        // A lifetime that would override that of the source is not added.
        let date = "Fri, 01 Jan 2100 00:00:00 GMT"
        let dated = origin.serve("/c.png", .body(try Quadrants.png(), headers: ["Expires": date]))
        let headers = try await service.image("w:40", of: dated).headers
        #expect(headers["Expires"] == (passes ? date : nil))
        #expect(headers["Cache-Control"] == (passes ? nil : "public, max-age=600"))
      }
    }
  }

  @Test(
    arguments: [
      (302, nil, 2, 0...0), (301, nil, 2, 0...0), (302, "max-age=3600", 0, 1...3600),
    ] as [(Int, String?, Int, ClosedRange<Int>)])
  func `a result lasts no longer than the redirects to its source`(
    status: Int, control: String?, laterRequests: Int, lifetimes: ClosedRange<Int>
  ) async throws {
    try await RunningService.run {
      $0.passesCacheControl = true
    } body: { service, origin in
      _ = origin.serve(
        "/b.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=86400, immutable", "ETag": "\"x\""]))
      var redirect = Reply.redirect(to: "/b.png", status: status)
      if let control { redirect.headers["Cache-Control"] = control }
      let source = origin.serve("/a.png", redirect)
      for _ in 0..<3 {
        let control = try await service.image("w:40", of: source).headers["Cache-Control"]
        let lifetime = try #require(control?.hasPrefix("max-age=") == true ? Int(control?.dropFirst(8) ?? "") : nil)
        #expect(lifetimes.contains(lifetime))
        await service.service.flush()
      }
      #expect(origin.requests.map(\.path) == ["/a.png", "/b.png"] + Array(repeating: "/a.png", count: laterRequests))
    }
  }

  @Test func `a format is chosen by Accept where it is enabled, with Vary`() async throws {
    try await RunningService.run {
      $0.automaticFormats = [.avif, .webp]
      $0.allowedOrigins = ["https://a.example", "https://b.example"]
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      for (accept, type) in [
        ("image/avif,image/webp,*/*", "image/avif"), ("image/webp", "image/webp"),
        ("image/avif;q=0, image/webp", "image/webp"),
        ("image/*", "image/png"), ("*/*", "image/png"),
      ] {
        let answer = try await service.image("w:40", of: source, as: nil, ["Accept": accept])
        #expect(answer.headers["Content-Type"] == type, "\(accept)")
        #expect(answer.headers["Vary"] == "Accept, Origin")
      }
      let fixed = try await service.image("w:40", of: source, as: "png", ["Accept": "image/avif"])
      #expect(fixed.headers["Content-Type"] == "image/png" && fixed.headers["Vary"] == "Origin")
    }
  }

  @Test func `large results are not written in formats whose encoders cannot be stopped`() async throws {
    try await RunningService.run {
      $0.automaticFormats = [.avif, .webp]
      $0.slowFormatPixelLimit = 40 * 30
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      let chosen = try await service.image("w:80", of: source, as: nil, ["Accept": "image/avif"])
      #expect(chosen.status == 200 && chosen.headers["Content-Type"] == "image/png")
      for format in ["avif", "jxl"] {
        #expect(try await service.image("w:40", of: source, as: format).status == 200)
        let named = try await service.image("w:80", of: source, as: format)
        let text = String(decoding: named.body, as: UTF8.self)
        #expect(named.status == 422 && text.contains("80x60 pixels, over the limit of 1200"), "\(named.status) \(text)")
      }
      let avif = origin.serve("/b.avif", .body(try await service.image("w:40", of: source, as: "avif").body))
      #expect(try await service.image("w:80/el:1", of: avif, as: nil).headers["Content-Type"] != "image/avif")
      #expect(try await service.image("w:80", of: source, as: "webp").status == 200)
    }
    try await RunningService.run {
      ($0.preferredFormats, $0.slowFormatPixelLimit) = ([.avif], 40 * 30)
    } body: { service, origin in
      let answer = try await service.image("w:80", of: origin.serve("/a.jpg", .body(try Quadrants.jpeg())), as: nil)
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/jpeg")
    }
  }

  @Test func `a format can override that of the URL for clients that accept it`() async throws {
    try await RunningService.run {
      $0.automaticFormats = [.avif, .webp]
      $0.enforcedFormats = [.webp]
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      for _ in 0..<2 {
        for (accept, type) in [("image/webp", "image/webp"), ("image/avif", "image/png"), ("*/*", "image/png")] {
          let answer = try await service.image("w:40", of: source, as: "png", ["Accept": accept])
          #expect(answer.headers["Content-Type"] == type && answer.headers["Vary"] == "Accept", "\(accept)")
        }
      }
      // Also where that of the URL could not be written.
      let tiff = try await service.image("w:40", of: source, as: "tiff", ["Accept": "image/webp"])
      #expect(tiff.headers["Content-Type"] == "image/webp")
    }
  }

  @Test func `the width and the dpr of the client are defaults where hints are enabled`() async throws {
    try await RunningService.run {
      $0.usesClientHints = true
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      for _ in 0..<2 {
        for (headers, options, width) in [
          ([:], "", 80), (["Width": "40"], "", 40), (["Sec-CH-Width": "20", "Width": "40"], "", 20),
          (["DPR": "2"], "w:15", 30), (["Sec-CH-DPR": "2", "Width": "40"], "", 40), (["Width": "40"], "w:30", 30),
          (["DPR": "9", "Width": "-1"], "w:15", 15), (["DPR": "nan"], "w:15", 15),
        ] as [(HTTPHeaders, String, Int)] {
          let answer = try await service.image(options, of: source, as: "png", headers)
          #expect(try answer.bitmap().size.width == width, "\(headers) \(options)")
          #expect(answer.headers["Vary"] == "Sec-CH-DPR, DPR, Sec-CH-Width, Width")
        }
      }
    }
  }

  @Test(arguments: [
    ("", "inline; filename=\"a b.png\""), ("fn:cat", "inline; filename=\"cat.png\""),
    ("att:1", "attachment; filename=\"a b.png\""),
    ("fn:Katze%20%C3%A4", "inline; filename=\"Katze _.png\"; filename*=UTF-8''Katze%20%C3%A4.png"),
    ("fn:x%0D%0ASet-Cookie", "inline; filename=\"x__Set-Cookie.png\"; filename*=UTF-8''x%0D%0ASet-Cookie.png"),
    ("fn:a%22%3Bb", "inline; filename=\"a__b.png\"; filename*=UTF-8''a%22%3Bb.png"),
  ])
  func `a result has a name`(options: String, disposition: String) async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a%20b.jpg", .body(try Quadrants.png()))
      let path = options.isEmpty ? "" : options + "/"
      let encoded = source.absoluteString.replacingOccurrences(of: "%", with: "%25")
      let answer = try await service.get("/_/\(path)plain/\(encoded)@png")
      #expect(answer.headers["Content-Disposition"] == disposition)
      #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
    }
  }

  @Test(arguments: [
    ("https://a.example/b/my.cat.jpg?c=/d.gif", "my.cat"), ("https://a.example/b%2Fcat.jpg", "cat"),
    ("local:///cat", "cat"), ("https://a.example/.jpg", "image"), ("https://a.example", "image"),
  ])
  func `a result has the name of its source, and is saved where its options or else the settings say so`(
    source: String, name: String
  ) {
    for isDefault in [true, false] {
      for asked in [nil, true, false] as [Bool?] {
        var options = ProcessingOptions()
        options.returnsAttachment = asked
        let disposition = ResultResponse.disposition(options, source: source, format: .png, isAttachment: isDefault)
        #expect(disposition == "\(asked ?? isDefault ? "attachment" : "inline"); filename=\"\(name).png\"")
      }
    }
  }

  @Test func `a harmless request identifier is sent back, and any other replaced`() async throws {
    try await RunningService.run { service, _ in
      let given = try await service.get("/health", ["X-Request-ID": "abc-123_X"])
      #expect(given.headers["X-Request-ID"] == "abc-123_X")
      let other = try await service.get("/health", ["X-Request-ID": "a b<script>"])
      #expect(other.headers["X-Request-ID"]?.contains("<") == false)
      #expect(try await service.get("/health").headers["X-Request-ID"] != nil)
    }
  }

  @Test func `raw and skipped sources are sent as they are`() async throws {
    try await RunningService.run { service, origin in
      let file = try Photos.data("rocket.jpg")
      let source = origin.serve("/a.jpg", .body(file))
      #expect(try await service.image("raw:1/w:40", of: source, as: nil).body == file)
      #expect(try await service.image("skp:jpg/w:40", of: source, as: nil).body == file)
      #expect(try await service.image("skp:jpg/w:40", of: source, as: "jpg").body == file)
      #expect(try await service.image("skp:png/w:40", of: source, as: nil).body != file)
      #expect(try await service.image("skp:jpg/w:40", of: source, as: "png").headers["Content-Type"] == "image/png")
    }
    try await RunningService.run {
      $0.skippedFormats = [.jpeg]
      $0.userAgent = "mine/1"
    } body: { service, origin async throws in
      let file = try Photos.data("rocket.jpg")
      let source = origin.serve("/a.jpg", .body(file))
      #expect(try await service.image("w:40", of: source, as: nil).body == file)
      #expect(try await service.image("w:40", of: source, as: "png").headers["Content-Type"] == "image/png")
      #expect(origin.requests.allSatisfy { $0.headers["User-Agent"] == "mine/1" })
    }
  }

  @Test func `the properties of a source are reported as JSON`() async throws {
    try await RunningService.run { service, origin in
      let file = try Photos.data("rocket.jpg")
      let source = origin.serve("/a.jpg", .body(file))
      let answer = try await service.get("/info/_/plain/\(source.absoluteString)")
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
      let report = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
      #expect(report["format"] as? String == "jpeg" && report["size"] as? Int == file.count)
      #expect(report["width"] as? Int == 640 && report["height"] as? Int == 427)
      #expect(report["mime_type"] as? String == "image/jpeg" && report["frames"] as? Int == 1)
      #expect(report["alpha"] as? Bool == false)
      let clear = origin.serve("/b.png", .body(try Quadrants.png(alpha: 128)))
      #expect(try await service.get("/info/_/plain/\(clear.absoluteString)").text.contains("\"alpha\":true"))
      let image = try await DecodedImage(data: file, size: .fit(width: 100, height: 100)).bitmap
      #expect(report["blurhash"] as? String == BlurHash(image).text)
      #expect(report["thumbhash"] as? String == Data(ThumbHash(image).bytes).base64EncodedString())
    }
  }

  @Test func `the properties of a source are cached as results are`() async throws {
    try await RunningService.run { service, origin in
      let headers: HeaderFields = ["Cache-Control": "max-age=600", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
      let source = origin.serve("/a.jpg", .body(try Photos.data("rocket.jpg"), headers: headers))
      let path = "/info/_/plain/\(source.absoluteString)"
      let first = try await service.get(path)
      let tag = try #require(first.headers["ETag"])
      #expect(["public, max-age=599", "public, max-age=600"].contains(first.headers["Cache-Control"]))
      #expect(first.headers["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
      let second = try await service.get(path)
      #expect(second.headers["Cache-Status"] == "halcyon; hit" && second.body == first.body)
      let unchanged = try await service.get(path, ["If-None-Match": tag])
      #expect(unchanged.status == 304 && unchanged.body.isEmpty)
      #expect(try await service.get(path + "?a", ["If-None-Match": "\"other\""]).status == 200)
    }
  }

  @Test(arguments: [9_000, 241])
  func `a long name of a file is shortened`(count: Int) async throws {
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      let long = try await service.image("fn:" + String(repeating: "%C3%A9", count: count), of: source)
      let disposition = try #require(long.headers["Content-Disposition"])
      #expect(long.status == 200 && disposition.utf8.count < 1200)
      #expect(disposition.hasSuffix(String(repeating: "%C3%A9", count: 120) + ".png"))
      let name = String(repeating: "n", count: 240)
      let whole = try await service.image("fn:" + name, of: source)
      #expect(whole.headers["Content-Disposition"] == "inline; filename=\"\(name).png\"")
    }
  }

  @Test func `a compressed drawing is sent compressed`() async throws {
    let drawing = Data(
      ("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'>"
        + String(repeating: "<rect width='1' height='1'/>", count: 50_000) + "</svg>").utf8)
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.svgz", .body(drawing.gzipped))
      let path = "/_/plain/\(source.absoluteString)"
      let sent = await service.service.response(to: ServiceRequest(path: path))
      #expect(sent.status == 200 && sent.headers[.contentEncoding] == "gzip")
      #expect(sent.body.readableBytes < 20_000 && drawing.count > 1_000_000)
      #expect(try await service.get(path).text.hasSuffix("</svg>"))
    }
  }
}
