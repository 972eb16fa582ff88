import Foundation
@_spi(Programs) import HalcyonProcessing
import HalcyonTestSupport
import HalcyonTestTraits
import Logging
import Testing

@testable import HalcyonService

/// Paths and errors in the log, without credentials.
@Suite(.unitTest)
struct LoggedPathTests {
  private static func base64(_ source: String) -> String { Base64URL.encode(Array(source.utf8)) }

  @Test(
    arguments: [
      ("/_/w:40/plain/https://example.com/a.jpg@png", "/_/w:40/plain/https://example.com/a.jpg@png"),
      ("/_/plain/https://ann:pw%40example.com/a.jpg@png", "/_/plain/https://…@example.com/a.jpg@png"),
      ("/_/plain/https%3A%2F%2Fann%3Ap%40w%40example.com%2Fa.jpg", "/_/plain/https://…@example.com/a.jpg"),
      ("/_/plain/https:/ann:pw%40example.com/a.jpg", "/_/plain/https://…@example.com/a.jpg"),
      ("/_/plain/https://ann:p%2Fw%40example.com/a.jpg", "/_/plain/https://…@example.com/a.jpg"),
      ("/_/plain/https://example.com/a.jpg%3FX-Amz-Signature=abc@png", "/_/plain/https://example.com/a.jpg?…@png"),
      ("/_/plain/https%3a%2f%2fexample.com%2fa.jpg%3ftoken%3dabc", "/_/plain/https://example.com/a.jpg?…"),
      ("/_/plain/https://example.com/a.jpg%253Ftoken%253Dabc", "/_/plain/https://example.com/a.jpg%3F…"),
      ("/_/plain/s3://photos/a%20b.jpg%3Fversion", "/_/plain/s3://photos/a%20b.jpg?…"),
      ("/_/plain/local:///a.jpg@png", "/_/plain/local:///a.jpg@png"),
      ("/_/plain/local:///%E9.jpg@png", "/_/plain/local:///%E9.jpg@png"),
      ("/_/plain/http://a/%FC.jpg%3Ft", "/_/plain/http://a/%FC.jpg?…"),
      ("/_/w:40/\(base64("https://example.com/a.jpg")).png", "/_/w:40/plain/https://example.com/a.jpg@png"),
      ("/_/w:40/\(base64("https://ann:pw@example.com/a.jpg")).png", "/_/w:40/plain/https://…@example.com/a.jpg@png"),
      ("/_/w:40/\(base64("https://example.com/a.jpg?token=abc"))", "/_/w:40/plain/https://example.com/a.jpg?…"),
      ("/_/w:40/\(base64("https://example.com/a.jpg#token=abc"))", "/_/w:40/plain/https://example.com/a.jpg#…"),
      ("/_/plain/https://proxy/\(base64("https://ann:pw@example.com"))/x", "/_/plain/https://proxy/…"),
      ("/info/_/plain/https://ann:pw%40example.com/a.jpg", "/info/_/plain/https://…@example.com/a.jpg"),
      ("/cache/plain/https://ann:pw%40example.com/a.jpg", "/cache/plain/https://…@example.com/a.jpg"),
      ("/cache/\(base64("https://ann:pw@example.com/a.jpg"))", "/cache/plain/https://…@example.com/a.jpg"),
      // A signature has more characters than a word in its place.
      ("/abcdefghij/plain/http://a/b", "/abcdefghij/plain/http://a/b"),
      ("/abcdefghijk/plain/http://a/b", "/…/plain/http://a/b"),
      ("/health", "/health"), ("/", "/"), ("", ""),
      ("/_/w:40/plain/http://a/\u{1B}[2J", "/_/w:40/plain/http://a/\u{FFFD}[2J"),
    ])
  func `a path has neither user, password nor query of its source`(path: String, logged: String) {
    var configuration = ServiceConfiguration()
    configuration.isInsecure = true
    #expect(LoggedPath(configuration).text(path) == logged)
    configuration.pathPrefix = "/images"
    #expect(LoggedPath(configuration).text("/images" + path) == "/images" + logged)
  }

  @Test func `a signature that is required is not logged, whether it is valid or not`() {
    var configuration = ServiceConfiguration()
    configuration.healthPath = "/live/now"
    for prefix in ["", "/images"] {
      configuration.pathPrefix = prefix
      let paths = LoggedPath(configuration)
      let encoded = Self.base64("https://example.com/a.jpg")
      #expect(paths.text("\(prefix)/abc/w:40/\(encoded)") == "\(prefix)/…/w:40/plain/https://example.com/a.jpg")
      #expect(paths.text("\(prefix)/info/abc/plain/http://a/b") == "\(prefix)/info/…/plain/http://a/b")
      #expect(paths.text("\(prefix)/gallery.css") == "\(prefix)/gallery.css")
      #expect(paths.text("/live/now") == "/live/now")
    }
  }

  @Test(arguments: [
    "/_/plain/ann:pw@example.com/a.jpg@png", "/_/plain/https://ann:pw@example.com/a.jpg", "/_/plain/",
    "/_/plain/http://%",
    "/_/plain/photos/a.jpg@png", "/_/plain/https://ann:p/pw@example.com/a.jpg",
    "/_/ann:pw@example.com/plain/http://a/b",
    "/\(base64("https://ann:pw@example.com/a.jpg"))", "/_/w:40/!\(base64("https://ann:pw@example.com/a.jpg"))",
    "/https:/ann:pw@example.com/a.jpg", "/wp-login.php",
    "/_/w:\(base64("https://ann:pw@example.com"))/plain/http://a/b",
    "/info/\(base64("https://ann:pw@example.com/a.jpg"))", "/cache/ann:pw@example.com",
  ])
  func `what cannot be read is logged as its length and a hash`(path: String) throws {
    var configuration = ServiceConfiguration()
    configuration.isInsecure = true
    let logged = LoggedPath(configuration).text(path)
    let others = ["pw", "ann", "aHR0", "example", "photos", "login"]
    #expect(!others.contains { logged.contains($0) }, "\(logged)")
    #expect(logged.contains(/…\([0-9]+:[0-9a-f]{16}\)/), "\(logged)")
    #expect(LoggedPath(configuration).text(path) == logged && LoggedPath(configuration).text(path + "x") != logged)
  }

  @Test func `a source without a scheme is logged with its base URL`() {
    var configuration = ServiceConfiguration()
    configuration.isInsecure = true
    configuration.sourceRewriting.baseURL = "https://ann:pw@example.com/"
    #expect(LoggedPath(configuration).text("/_/plain/photos/a.jpg") == "/_/plain/https://…@example.com/photos/a.jpg")
  }

  @Test func `the text of an error has no credentials of the URLs in it`() {
    let text = "http://a:b@c.example/d?e=f responded with HTTP 404.  See https://g.example/h?i or ask j@k.example why?"
    #expect(
      Redaction.text(text)
        == "http://…@c.example/d?… responded with HTTP 404.  See https://g.example/h?… or ask j@k.example why?")
    #expect(Redaction.text("Why? a:b@c /login?token=x \(Self.base64("http://a:b@c"))") == "Why? …@c /login?… …")
  }

  @Test(.slow, arguments: [true, false])
  func `handlers write records as they write the metadata of records`(isJSON: Bool) async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [isJSON] in
      let handler = LineLogHandler(label: "a", isJSON: isJSON)
      for (error, isHit) in [("it \"failed\"", nil), (nil, true)] as [(String?, Bool?)] {
        let record = RequestRecord(
          id: "1-a", client: isHit == nil ? nil : "10.0.0.1", method: "GET", path: "/_/w:40/\\\u{1}ü", status: 502,
          byteCount: 12_345, duration: .microseconds(1_254_321), isHit: isHit, error: error)
        handler.log(record, level: .error)
        Logger(label: "a") { _ in handler }.log(level: .error, "Responded", metadata: record.metadata)
      }
    }
    let lines = result.standardErrorContent.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
      .filter { $0.contains("Responded") }
    // Without the time.
    #expect(lines.count == 4 && lines[0].dropFirst(30) == lines[1].dropFirst(30), "\(lines)")
    #expect(lines[2].dropFirst(30) == lines[3].dropFirst(30) && lines[0].contains("1254.32"), "\(lines)")
  }
}
