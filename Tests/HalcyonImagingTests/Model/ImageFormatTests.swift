import HalcyonImaging
import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ImageFormatTests {
  private static let signatures: [(ImageFormat, [UInt8])] = [
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

  @Test(arguments: signatures)
  func `the format is detected from the first bytes`(format: ImageFormat, signature: [UInt8]) {
    #expect(ImageFormat(sniffing: Data(signature)) == format)
  }

  @Test(arguments: [
    (["avif", "mif1"], ImageFormat.avif), (["mif1", "avif"], .avif), (["msf1", "iso8", "avis"], .avif),
    (["mif1", "heic"], .heic), (["mif1", "miaf"], .heic), (["heim", "mif1"], .heic), (["iso8", "heix"], .heic),
    (["heic", "avif"], .heic), (["avif", "heic"], .avif), (["mif1", "heic", "avif"], .avif),
    (["isom", "mp41"], nil),
  ])
  func `AVIF and HEIC are distinguished by their brands`(brands: [String], format: ImageFormat?) {
    let names = ([brands[0], "\0\0\0\0"] + brands).joined()
    let signature = [0, 0, 0, UInt8(names.utf8.count + 8)] + Array("ftyp\(names)".utf8)
    #expect(ImageFormat(sniffing: Data(signature + [0, 0, 0, 8])) == format)
  }

  @Test func `a generic major brand is undecided until the compatible brands have arrived`() {
    let signature = [0, 0, 0, 24] + Array("ftypmif1\0\0\0\0mif1avif".utf8)
    #expect(ImageFormat(sniffing: Data(signature.prefix(20))) == nil)
    #expect(ImageFormat(sniffing: Data(signature)) == .avif)
  }

  @Test(arguments: [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf8])
  func `SVG is detected in every text encoding`(encoding: String.Encoding) throws {
    let text = "<!-- drawn --><!DOCTYPE svg><s:svg xmlns:s='http://www.w3.org/2000/svg'/>"
    #expect(ImageFormat(sniffing: try #require(text.data(using: encoding))) == .svg)
  }

  @Test(arguments: [
    "", "<!DOCTYPE html><html><body><svg/></body></html>", "<HTML><svg></svg></HTML>", "hello", "{\"error\": 404}",
    "<xml/>", "BMW sells cars", "RIFF....AVI LIST",
  ])
  func `data that is not an image has no format`(text: String) {
    #expect(ImageFormat(sniffing: Data(text.utf8)) == nil)
  }

  /// Text that can precede the root element; N stands for a comment of two kilobytes.
  private static let prologs: [String] = [
    "N", "<?xml version='1.0'?>N", "N<!DOCTYPE svg PUBLIC 'a' \"b\" [ <!ENTITY a ']>'><!-- ]> ' --> ]>",
    "<?xml version='1.0' encoding='utf-8'?><?xml-stylesheet href='<html>'?>\n N N N",
  ]

  @Test(arguments: prologs, [String.Encoding.utf8, .utf16])
  func `the root element of an SVG can follow kilobytes of comments`(_ prolog: String, _ encoding: String.Encoding)
    throws
  {
    let comment = "<!-- <html> " + String(repeating: "licence ", count: 256) + " > -->"
    let text = prolog.replacing("N", with: comment) + "<svg:svg a='1'/>"
    let file = try #require(text.data(using: encoding))
    #expect(ImageFormat(sniffing: file) == .svg)
    #expect(ImageFormat(sniffing: Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)) == .svg)
    // The name is not complete before the byte that follows it.
    let end = try #require(text.range(of: "svg:svg")).upperBound
    let start = try #require(String(text[..<end]).data(using: encoding))
    for count in [1, 40, 1024, start.count] { #expect(ImageFormat(sniffing: start.prefix(count)) == nil) }
  }

  @Test func `a compressed SVG is detected by its content`() {
    let comment = "<!-- " + (0..<400).map { "licence \($0 * $0)" }.joined() + " -->"
    let file = Data("\(comment)<svg width='1'/>".utf8).gzipped
    #expect(ImageFormat(sniffing: file) == .svg)
    #expect(ImageFormat(sniffing: file.prefix(file.count / 2)) == nil)
    #expect(ImageFormat(sniffing: Data("<html><svg/></html>".utf8).gzipped) == nil)
    #expect(ImageFormat(sniffing: Data([0x1F, 0x8B, 8])) == nil)
    // Megabytes of white space, of which the first kilobytes are read.
    #expect(ImageFormat(sniffing: Data(repeating: 0x20, count: 4 << 20).gzipped) == nil)
  }

  @Test(arguments: [
    ("SVGZ", ImageFormat.svg), ("JPG", .jpeg), ("jpeg", .jpeg), ("jpe", .jpeg), ("jfif", .jpeg), ("tif", .tiff),
    ("Apng", .png), ("heif", .heic), ("jxl", .jpegXL), ("html", nil), ("", nil),
  ])
  func `the extension of a file names its format`(name: String, format: ImageFormat?) {
    #expect(ImageFormat(fileExtension: name) == format)
  }

  @Test(arguments: [
    "<root><svg/></root>", "<svgs/>", "<!-- <svg/> -->", "<!DOCTYPE svg [ <svg> ", "text <svg/>", "<?xml <svg/>",
  ])
  func `the root element decides, not an element or a comment that names SVG`(text: String) {
    #expect(ImageFormat(sniffing: Data(text.utf8)) == nil)
  }

  @Test func `a data slice is read from its start index`() {
    let data = Data([1, 2, 3] + Array("GIF89a".utf8))
    #expect(ImageFormat(sniffing: data.dropFirst(3)) == .gif)
  }
}
