import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestTraits
import Testing

@Suite(.unitTest) struct ImageErrorAdviceTests {
  @Test(arguments: ["/home/ann/photo.jpg", "./photo.jpg", "../photo.jpg", "~/photo.jpg"])
  func `a path in place of a URL names URL(filePath:)`(path: String) {
    #expect(ImageError.invalidURL(path).description == "“\(path)” is a path, not a URL. Use URL(filePath:).")
  }

  @Test func `other invalid URLs have an example`() {
    let error = ImageError.invalidURL("http://")
    #expect(error.description == "“http://” is not a valid URL. Use one like https://example.com/image.jpg.")
    #expect(ImageError.invalidURL("photo.jpg").description.hasSuffix(", or URL(filePath:) for a file."))
    #expect(!ImageError.invalidURL("//example.com/a").description.contains("is a path"))
  }

  @Test func `bytes in an unknown format are named with the type that the server states`() throws {
    let url = try #require(URL(string: "https://example.com/a"))
    #expect(
      ImageError.notAnImage(contentType: "image/jpeg", url: url).description
        == "https://example.com/a is not an image: its bytes are in no format that this build reads "
        + "(the server says image/jpeg). Check the URL.")
    #expect(ImageError.notAnImage(contentType: nil, url: url).description.hasSuffix("build reads. Check the URL."))
  }

  @Test func `a connection that lacks a file descriptor says nothing of the server`() {
    let reasons = [TransportError.tooManyOpenFiles, "refused"]
    let texts = reasons.map { TransportError.connectionFailed(host: "a", reason: $0).description }
    #expect(
      texts.map { $0.contains("server") } == [false, true] && texts.map { $0.contains("ulimit") } == [true, false])
  }

  @Test(arguments: [(0, "0 loads already wait"), (1, "1 load already waits"), (2, "2 loads already wait")])
  func `a full queue says how many wait`(limit: Int, text: String) {
    let description = ImageError.tooManyWaiting(limit: limit, url: URL(filePath: "/a")).description
    #expect(description.contains(text + " for a connection."))
  }

  @Test func `limits name their unit`() throws {
    let size = PixelSize(width: 9, height: 8)
    #expect(ImageDecodingError.tooManyPixels(size, limit: 50).description.contains("limit of 50 pixels. Raise"))
    #expect(ImageDecodingError.sideTooLong(size, limit: 5).description.contains("limit of 5 pixels a side. Raise"))
    let url = try #require(URL(string: "https://example.com/a"))
    #expect(ImageError.responseTooLarge(byteLimit: 7, url: url).description.contains("over 7 bytes. Raise"))
  }
}
