import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct HTTPTimeTests {
  @Test(arguments: [
    (784_111_777.0, "Sun, 06 Nov 1994 08:49:37 GMT"), (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
  ])
  func `a date has the preferred format of HTTP`(seconds: Double, text: String) {
    #expect(HTTPTime.text(Date(timeIntervalSince1970: seconds)) == text)
    #expect(HTTPTime.date(text) == Date(timeIntervalSince1970: seconds.rounded(.down)))
  }

  @Test(arguments: ["", "now", "Sun, 06 Nov 1994", "Sun, 06 Moo 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"])
  func `any other text is no date`(text: String) {
    #expect(HTTPTime.date(text) == nil)
  }
}
