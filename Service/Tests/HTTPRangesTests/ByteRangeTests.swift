import HTTPRanges
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ByteRangeTests {
  private func range(
    _ range: String?, ifRange: String? = nil, entityTag: String? = nil, lastModified: String? = nil,
    byteCount: Int = 100
  ) -> ByteRange? {
    ByteRange(range: range, ifRange: ifRange, entityTag: entityTag, lastModified: lastModified, byteCount: byteCount)
  }

  @Test(arguments: [
    ("bytes=0-9", 0..<10), ("bytes=10-10", 10..<11), ("bytes=10-", 10..<100), ("bytes=-5", 95..<100),
    ("bytes=-1000", 0..<100), ("bytes=0-99", 0..<100), ("bytes=5-99999999999999999999999", 5..<100),
    ("bytes=-99999999999999999999999", 0..<100), ("Bytes= 1 - 2 ", 1..<3), ("bytes=007-8", 7..<9),
  ])
  func `one range is a part of the body`(field: String, expected: Range<Int>) {
    #expect(range(field) == .part(expected))
  }

  @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=99999999999999999999999-", "bytes=-0"])
  func `a range outside the body cannot be satisfied`(field: String) {
    #expect(range(field) == .unsatisfiable)
  }

  @Test(arguments: ["bytes=0-", "bytes=0-0", "bytes=-1"])
  func `an empty body has no ranges`(field: String) {
    #expect(range(field, byteCount: 0) == .unsatisfiable)
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes=", "bytes=-", "bytes=9-1", "bytes=1", "bytes=1-2-3", "bytes=0-1,3-4", "bytes=a-b",
    "bytes=+1-2", "bytes=1-٢", "bytes=0x1-2", "bytes=1 1-12", "lines=1-2", "bytes:0-1",
  ])
  func `without a valid range the whole body is sent`(field: String?) {
    #expect(range(field) == nil)
  }

  @Test func `a condition has to match the entity tag or the date of the body`() {
    let (tag, date) = ("\"a\"", "Mon, 02 Jan 2023 03:04:05 GMT")
    func isPart(_ condition: String, _ tag: String?, _ date: String?) -> Bool {
      range("bytes=0-9", ifRange: condition, entityTag: tag, lastModified: date) == .part(0..<10)
    }
    #expect(isPart(tag, tag, date) && isPart(date, tag, date) && isPart(tag, tag, nil) && isPart(date, nil, date))
    #expect(!isPart("\"b\"", tag, date) && !isPart("Sun, 01 Jan 2023 03:04:05 GMT", tag, date))
    #expect(!isPart(tag, nil, date) && !isPart(date, tag, nil) && !isPart("", nil, nil))
  }

  @Test(arguments: [
    ("W/\"a\"", "\"a\""), ("\"a\"", "W/\"a\""), ("W/\"a\"", "W/\"a\""), ("\"\u{e9}\"", "\"e\u{301}\""),
  ])
  func `a weak entity tag never matches, nor one of other bytes`(condition: String, tag: String) {
    #expect(range("bytes=0-9", ifRange: condition, entityTag: tag) == nil)
  }
}
