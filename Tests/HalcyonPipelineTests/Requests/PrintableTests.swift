import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport

@Suite(.unitTest)
struct PrintableTests {
  private let url = URL(string: "https://example.com/a") ?? URL(filePath: "/")
  private let hostile = "a\u{1B}[2J\r\nb\u{85}c\u{202E}d\u{2066}e\u{7F}f\u{2028}g\u{200B}"

  /// The errors that contain text of a server, a file or a caller.
  private func errors(with text: String) -> [any Error] {
    let transport: [TransportError] = [
      .hostNotFound(text), .connectionFailed(host: text, reason: text),
      .addressRejected(address: "::1", host: text, reason: text), .secureConnectionFailed(host: text, reason: text),
      .malformedResponse(reason: text), .badContentEncoding(reason: text), .failed(reason: text),
    ]
    let decoding: [ImageDecodingError] = [
      .corrupt(.svg, reason: text), .unsupportedFeature(.tiff, feature: text),
    ]
    let image: [ImageError] = [
      .invalidURL(text), .unsupportedScheme(text, url: url), .redirectRejected(to: text, from: url),
      .notAnImage(contentType: text, url: url), .unreadableFile(path: text, code: 2),
      .invalidDataURL(reason: text), .processingFailed(identifier: text, cause: TransportError.cancelled, url: url),
      .providerFailed(key: text, cause: TransportError.cancelled), .notCached(key: text),
      .notStorable(key: text),
    ]
    return transport + decoding + image + transport.map { ImageError.transport($0, url: url) }
      + decoding.map { ImageError.decoding($0, url: url) }
  }

  @Test func `text without invisible characters is printed as it is`() {
    for text in ["", "image/png; charset=utf-8", "größer als 日本語 ✓", String(repeating: "a", count: 300)] {
      #expect(text.printable == text)
    }
  }

  @Test func `control and format characters are escaped`() {
    #expect("\u{1B}[2J\r\n".printable == #"\u{1B}[2J\u{D}\u{A}"#)
    #expect("a\u{202E}b\u{85}".printable == #"a\u{202E}b\u{85}"#)
  }

  @Test func `long text is shortened to 300 characters, also one letter with many accents`() {
    #expect(String(repeating: "a", count: 60_000).printable.unicodeScalars.count == 301)
    #expect(("e" + String(repeating: "\u{301}", count: 60_000)).printable.unicodeScalars.count == 301)
  }

  @Test func `errors print foreign text on one line, visible and short`() {
    for error in errors(with: hostile + String(repeating: "x", count: 60_000)) {
      let text = "\(error)"
      let isVisible = text.unicodeScalars.allSatisfy {
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
      }
      #expect(isVisible && text.unicodeScalars.count < 1500, "\(type(of: error))")
    }
  }

  @Test(arguments: [
    "http://user:SECRET@example.com:port/", "http:/user:SECRET@example.com/", "http:/user:a@SECRET@example.com/",
    "//user:SECRET@example.com/",
    "ftp://user:SECRET@example.com/a", "user:SECRET@example.com", "http://user:SEC/SECRET@example.com/a",
    "http://user:SECRET@[::1/a", "https://user:SECRET@\u{301}example.com:port/",
  ])
  func `errors name a URL without its password`(text: String) throws {
    var errors: [ImageError] = [.invalidURL(text), .redirectRejected(to: text, from: url)]
    if let parsed = URL(string: text) {
      errors += [.unsupportedScheme("ftp", url: parsed), .httpStatus(404, url: parsed)]
    }
    for error in errors {
      #expect(!error.description.contains("SECRET"))
      #expect(error.description.contains("example.com") || error.description.contains("[::1"))
    }
  }

  @Test func `a path with an at sign is no password`() throws {
    for text in ["https://example.com/@user/a.png", "file:///home/me@work/a.png"] {
      let parsed = try #require(URL(string: text))
      #expect(parsed.printable == text)
      #expect(ImageError.redirectRejected(to: "https://example.com/@me", from: url).description.contains("com/@me"))
    }
  }
}
