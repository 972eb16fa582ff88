import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// `data:` URLs as browsers read them.
@Suite(.unitTest)
struct DataURLTests {
  @Test(arguments: [
    ("data:,abc", "abc"),
    ("data:text/plain,a%20b", "a b"),
    ("data:;base64,YWJj", "abc"),
    ("data:image/png; base64,YWJj", "abc"),
    ("data:image/png;base64 ,YWJj", "abc"),
    ("data:text/plain;charset=utf-8;base64,YWJj", "abc"),
    ("data:text/plain;base64;charset=utf-8,YWJj", "YWJj"),
    ("data:image/png ; BASE64,YWJj", "abc"),
    ("DATA:image/png;base64,YWJj", "abc"),
    ("  data:;base64,YWJj\n", "abc"),
    ("data:;base64,YWJj#fragment", "abc"),
    ("data:,abc#fragment", "abc"),
    ("data:;base64,Y W\tJ\nj", "abc"),
    ("data:;base64,YWJj%0A", "abc"),
    ("data:;base64,Y\u{C}W\rJj", "abc"),
    ("data:;base64,YWI", "ab"),
    ("data:;base64,YWI=", "ab"),
    ("data:;base64,YWI%3D", "ab"),
    ("data:;base64,Pz8_Pj4-", "???>>>"),
    ("data:,100%", "100%"),
    ("data:,5%zz%+1%-0", "5%zz%+1%-0"),
    ("data:base64,YWJj", "YWJj"),
    ("data:;base64;x=y,YWJj", "YWJj"),
    ("data:,a;base64,b", "a;base64,b"),
    // A comma with a combining mark is a comma.
    ("data:,\u{301}", "\u{301}"),
  ])
  func `data is decoded`(url: String, text: String) throws {
    #expect(try DataURL.decode(url) == Data(text.utf8))
  }

  @Test(arguments: ["data:image/png;base64", "data:", "dat:,a", "data:;base64,YWJjZ", "data:;base64,!!!!"])
  func `other text is an error that says why`(url: String) {
    let error = #expect(throws: ImageError.self) { try DataURL.decode(url) }
    guard case .invalidDataURL = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
  }
}
