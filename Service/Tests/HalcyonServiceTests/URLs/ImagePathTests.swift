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

  @Test(arguments: ["/plain/http://e.com/a.jpg", "/aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn"])
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

  @Test(arguments: ["plain/", "plain/%zz", "not*base64", "YQ.png.jpg", "/"])
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

  @Test func `what only the commercial edition of imgproxy has is an error that says so`() {
    #expect(throws: PathError.encryptedSource) { try ImagePath("/_/w:1/enc/aHR0cA") }
    #expect(throws: PathError.chainedPipelines) { try ImagePath("/_/w:1/-/w:2/plain/http://e.com/a.jpg") }
    #expect(PathError.chainedPipelines.description.contains("/-/"))
  }
}
