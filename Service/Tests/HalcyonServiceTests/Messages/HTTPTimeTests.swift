import Foundation
import TestTraits
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
  }
}
