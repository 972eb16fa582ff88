import Foundation
@_spi(Programs) import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct PercentDecodingTests {
  @Test(arguments: [
    ("", ""), ("a b", "a b"), ("%41%7a%7A", "Azz"), ("%C3%A4", "ä"), ("%", "%"), ("%4", "%4"), ("%4g%g4", "%4g%g4"),
    ("%%41", "%A"), ("%2541", "%41"), ("%+4%-4", "%+4%-4"), ("a%20", "a "),
  ])
  func `escapes of two digits are decoded, and others stay`(text: String, decoded: String) {
    #expect(Array(text.utf8)[...].percentDecoded == Array(decoded.utf8))
    // Also in a part of other bytes.
    let part = Array(("%41" + text + "41").utf8).dropFirst(3).dropLast(2)
    #expect(part.percentDecoded == Array(decoded.utf8))
  }

  @Test func `a path is decoded without its query`() throws {
    let url = try #require(URL(string: "file:///a%20b/%C3%A4.png?c%20d"))
    #expect(url.decodedPath == Array("/a b/ä.png".utf8))
  }
}
