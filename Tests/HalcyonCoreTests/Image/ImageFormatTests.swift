import HalcyonImaging
import Foundation
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
    (["avif", "mif1"], ImageFormat.avif), (["mif1", "avif"], .avif), (["msf1", "iso8", "avis"], .avif),
    (["mif1", "heic"], .heic), (["mif1", "miaf"], .heic), (["heim", "mif1"], .heic), (["iso8", "heix"], .heic),
    (["isom", "mp41"], nil),
  ])
  func `the brands tell AVIF from HEIC`(brands: [String], format: ImageFormat?) {
    let names = ([brands[0], "\0\0\0\0"] + brands).joined()
    let head = [0, 0, 0, UInt8(names.utf8.count + 8)] + Array("ftyp\(names)".utf8)
    #expect(ImageFormat(sniffing: Data(head + [0, 0, 0, 8])) == format)
  }

  @Test func `a first brand of any codec tells nothing until the others are there`() {
    let head = [0, 0, 0, 24] + Array("ftypmif1\0\0\0\0mif1avif".utf8)
    #expect(ImageFormat(sniffing: Data(head.prefix(20))) == nil)
    #expect(ImageFormat(sniffing: Data(head)) == .avif)
  }

  @Test(arguments: [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf8])
  func `a drawing is told in every encoding`(encoding: String.Encoding) throws {
    let text = "<!-- drawn --><!DOCTYPE svg><s:svg xmlns:s='http://www.w3.org/2000/svg'/>"
    #expect(ImageFormat(sniffing: try #require(text.data(using: encoding))) == .svg)
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
