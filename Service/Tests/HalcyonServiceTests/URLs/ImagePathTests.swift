import Foundation
@testable import HalcyonProcessing
@testable import HalcyonService
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ImagePathTests {
  @Test func `a plain path has a signature, options, a source and an extension`() throws {
    let path = try ImagePath("/c2ln/rs:fit:300:200/g:no/plain/http://example.com/a%20b.jpg%3Fx=1@png")
    #expect(path.signature == "c2ln")
    #expect(path.signedPart == "/rs:fit:300:200/g:no/plain/http://example.com/a%20b.jpg%3Fx=1@png")
    #expect(path.options == ["rs:fit:300:200", "g:no"])
    #expect(path.source == "http://example.com/a b.jpg?x=1")
    #expect(path.fileExtension == "png")
  }

  @Test func `a Base64 path may be split by slashes`() throws {
    let path = try ImagePath("/_/w:3/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png")
    #expect(path.source == "http://example.com/images/curiosity.jpg")
    #expect(path.fileExtension == "png")
  }

  @Test(arguments: [
    "/plain/http://e.com/a.jpg", "/plain/http://e.com/a.jpg@", "/aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn",
    "/aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn.",
  ])
  func `options and the extension can be omitted`(source: String) throws {
    let path = try ImagePath("/_" + source)
    #expect(path.options.isEmpty && path.fileExtension == nil)
  }

  @Test func `an at sign of the source is written as a percent code`() throws {
    #expect(try ImagePath("/_/plain/http://e.com/a%40b.jpg@webp").source == "http://e.com/a@b.jpg")
    #expect(throws: PathError.self) { try ImagePath("/_/plain/http://e.com/a@b.jpg@webp") }
  }

  @Test(arguments: ["", "/", "/_", "/_/w:300", "//plain/http://e.com/a.jpg", "no slash"])
  func `an incomplete path is refused`(path: String) {
    #expect(throws: PathError.incomplete(path: path)) { try ImagePath(path) }
  }

  @Test(arguments: ["plain/", "plain/%zz", "plain/a%4", "plain/a%00b", "AGE", "not*base64", "YQ.png.jpg", "/"])
  func `a malformed source is refused`(source: String) {
    #expect(throws: PathError.self) { try ImagePath("/_/" + source) }
  }

  @Test func `a combining mark after a delimiter belongs to what follows`() throws {
    let path = try ImagePath("/\u{301}s/w:\u{301}3/\u{301}:x/plain/http://e.com/\u{301}a.jpg@\u{301}png")
    #expect(path.signature == "\u{301}s")
    #expect(path.options == ["w:\u{301}3", "\u{301}:x"])
    #expect(path.source == "http://e.com/\u{301}a.jpg" && path.fileExtension == "\u{301}png")
    #expect(try OptionArguments(path.options[0]).values == ["\u{301}3"])
  }

  @Test func `a single preset without a colon is no source where only presets are accepted`() throws {
    let path = try ImagePath("/_/thumb/plain/http://e.com/a.jpg", hasPresetsOnly: true)
    #expect(path.options == ["thumb"])
    #expect(path.source == "http://e.com/a.jpg")
  }

  /// The examples of imgproxy's documentation and of the tests of its clients, one split by slashes.
  @Test(arguments: [
    (
      "p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3qFABIsx-ZRz_cVc8iVTYbhsNsxNBL1BHaQ",
      "http://example.com/images/curiosity.jpg"
    ),
    ("5mRTX1BdO2rpOf4RabIuLRo5XHgNeEqAfturvYUVzVXfh75f8b5ulIvbh2JawTzP", "https://example.com/image.jpg"),
    ("MTIzNDU2Nzg5MDEy/MzQ1Np6L0YlR92XD/i3aaVA5KINDMHKXf/LUaQ1N0ae5N7JjBZ", "https://images.test/image.jpg"),
  ])
  func `an encrypted path needs the key`(encrypted: String, source: String) throws {
    let key = try #require(Data(hexadecimal: "1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"))
    let path = try ImagePath("/_/w:3/enc/\(encrypted).webp", encryptionKey: key)
    #expect(path.source == source && path.isEncrypted && path.fileExtension == "webp" && path.options == ["w:3"])
    #expect(try ImagePath("/_/enc/\(encrypted)/name.jpg", hasFilename: true, encryptionKey: key).source == source)
    #expect(throws: PathError.encryptedSource) { try ImagePath("/_/w:3/enc/\(encrypted)") }
    #expect(throws: PathError.self) { try ImagePath("/_/w:3/enc/\(encrypted)", encryptionKey: Data(key.reversed())) }
  }

  /// Vectors of `openssl enc -aes-128-cbc` and `-aes-192-cbc`.
  @Test func `shorter keys are those of AES-128 and AES-192`() throws {
    for (count, encrypted) in [
      (16, "EBESExQVFhcYGRobHB0eH8rMlFATFrQRB9W8yCuS192Vp3lXrVGFOgzMq2IzxKSZ"),
      (24, "EBESExQVFhcYGRobHB0eHxQRT72ArnjHmG4SSdfqGgZkQH_q7ZNyKFsuDZAbcvt_"),
    ] {
      let path = try ImagePath("/_/enc/\(encrypted)", encryptionKey: Data(0..<UInt8(count)))
      #expect(path.source == "images/beach.jpg")
    }
  }

  @Test func `what only the commercial edition of imgproxy has is an error that says so`() {
    #expect(throws: PathError.chainedPipelines) { try ImagePath("/_/w:1/-/w:2/plain/http://e.com/a.jpg") }
    #expect(PathError.chainedPipelines.description.contains("/-/"))
  }
}
