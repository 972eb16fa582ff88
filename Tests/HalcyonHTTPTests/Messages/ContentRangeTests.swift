import HalcyonTestTraits
import Testing

@testable import HalcyonHTTP

@Suite(.unitTest)
struct ContentRangeTests {
  @Test func `a range is parsed with and without the complete length`() throws {
    let range = try #require(ContentRange("bytes 500-999/1000"))
    #expect((range.first, range.last, range.total) == (500, 999, 1000))
    #expect(ContentRange("Bytes 0-0/*")?.total == nil)
    #expect(ContentRange("Bytes 0-0/*")?.last == 0)
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes */1000", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-/10", "bytes -5/10", "bytes 0-9",
    "items 0-9/10", "bytes 0-9/10/10", "bytes 0-99999999999999999999/*", "bytes +0-9/10", "bytes 0-9/x",
  ])
  func `an invalid range is rejected`(field: String?) {
    #expect(ContentRange(field) == nil)
  }
}
