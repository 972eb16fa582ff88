import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonHTTP

@Suite(.unitTest)
struct HTTPDateTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Tue, 29 Feb 2000 23:59:60 GMT", 951_868_800), ("sun, 06 NOV 1994 08:49:37 gmt", 784_111_777),
    ("Sun Nov 06 08:49:37 1994", 784_111_777), ("Sat, 21 Nov 2026 12:00:00 GMT", 1_795_262_400),
  ])
  func `all three formats are parsed`(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: [253_402_300_800, 1e18, .infinity])
  func `a date after the year 9999 is its end`(seconds: Double) {
    #expect(HTTPDate.text(Date(timeIntervalSince1970: seconds)) == "Fri, 31 Dec 9999 23:59:59 GMT")
  }

  @Test(arguments: [784_111_777.0, 0, 951_868_799, 1_795_262_400, 4_102_444_800, -86_400])
  func `a formatted date is parsed back`(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(HTTPDate.parse(HTTPDate.text(date), now: now) == date)
  }

  @Test func `a two-digit year is at most fifty years ahead`() throws {
    // It is 2026.
    for (year, isAhead) in [(70, true), (76, true), (77, false), (90, false)] {
      let date = try #require(HTTPDate.parse("Monday, 01-Jan-\(year) 00:00:00 GMT", now: now))
      #expect((date > now) == isAhead, "\(year)")
    }
  }

  @Test(arguments: [
    "", "0", "-1", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
    "Sun, 06 Xxx 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 25:00:00 GMT", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Nov 19945 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
    "Sun, 06  Nov  1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov  6 8:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06-Nov 94",
  ])
  func `an invalid date is not parsed`(text: String) {
    #expect(HTTPDate.parse(text, now: now) == nil)
  }
}
