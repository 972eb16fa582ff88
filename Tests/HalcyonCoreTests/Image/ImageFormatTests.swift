import Foundation
import HalcyonCore
import Testing

struct ImageFormatTests {
  private static let heads: [(ImageFormat, [UInt8])] = [
    (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    (.gif, Array("GIF89a".utf8)),
    (.webp, Array("RIFF....WEBPVP8 ".utf8)),
    (.bmp, Array("BM".utf8) + [1, 2, 3, 4, 0, 0, 0, 0]),
    (.tiff, [0x4D, 0x4D, 0, 0x2A]),
    (.avif, [0, 0, 0, 0x1C] + Array("ftypavif".utf8)),
    (.heic, [0, 0, 0, 0x18] + Array("ftypheic".utf8)),
    (.jpegXL, [0xFF, 0x0A]),
    (.ico, [0, 0, 1, 0, 1, 0]),
    (.svg, Array("\n<?xml version=\"1.0\"?><!-- drawn --><svg xmlns=\"…\"/>".utf8)),
  ]

  @Test(arguments: heads)
  func `the first bytes tell the format`(format: ImageFormat, head: [UInt8]) {
    #expect(ImageFormat(sniffing: Data(head)) == format)
  }

  @Test(arguments: [
    "", "<!DOCTYPE html><html><body><svg/></body></html>", "<HTML><svg></svg></HTML>", "hello", "{\"error\": 404}",
    "<xml/>", "BMW sells cars", "RIFF....AVI LIST",
  ])
  func `what is no image has no format`(text: String) {
    #expect(ImageFormat(sniffing: Data(text.utf8)) == nil)
  }

  @Test func `a slice of data is read from its own start`() {
    let data = Data([1, 2, 3] + Array("GIF89a".utf8))
    #expect(ImageFormat(sniffing: data.dropFirst(3)) == .gif)
  }
}
