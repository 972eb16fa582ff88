#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import TestTraits
import Testing

@Suite(.integrationTest, .fixtureFonts)
struct SVGDecoderTests {
  private static let space = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"

  private static func document(_ attributes: String, _ content: String = "") -> Data {
    Data("<svg \(space) \(attributes)>\(content)</svg>".utf8)
  }

  @Test(arguments: [
    ("width='40' height='30'", 40, 30), ("width='40px' height='0.5in' viewBox='0 0 9 9'", 40, 48),
    ("viewBox='0 0 131 76'", 131, 76), ("viewBox='0,0,10.4,20.6'", 10, 21),
    ("width='100' viewBox='0 0 50 25'", 100, 50),
    ("height='10mm' viewBox='0 0 2 1'", 76, 38), ("width='100%' height='100%' viewBox='5 5 30 20'", 30, 20),
    ("", 300, 150), ("width='50'", 50, 150), ("width='2em' height='1e1'", 32, 10),
    ("width='nan' height='inf'", 300, 150),
  ])
  func `the size is computed as in browsers`(_ attributes: String, _ width: Int, _ height: Int) throws {
    let info = try #require(try SVGDecoder().probe(Self.document(attributes), isComplete: true))
    #expect(info.pixelSize == PixelSize(width: width, height: height))
  }

  @Test func `comments, declarations and entities before the root element are skipped`() throws {
    let head = """
      \u{FEFF}<?xml version="1.0"?><!-- <svg width='1'> --><!DOCTYPE svg PUBLIC "a" "b" [ <!ENTITY c "d"> ]>
      """
    let file = Data(head.utf8) + Self.document("width='7' height='5'")
    #expect(ImageFormat(sniffing: file) == .svg)
    #expect(try SVGDecoder().decode(file, options: DecodingOptions()).size == PixelSize(width: 7, height: 5))
  }

  @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
  func `UTF-16 is supported`(_ encoding: String.Encoding) throws {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><svg \(Self.space) width='7' height='5'/>"
    let file = try #require(text.data(using: encoding))
    #expect(ImageFormat(sniffing: file) == .svg)
    let info = try #require(try SVGDecoder().probe(file, isComplete: true))
    #expect(info.pixelSize == PixelSize(width: 7, height: 5))
  }

  @Test func `probing gives nothing until the root start tag ends`() throws {
    let file = try Fixture.data("svg/shapes.svg")
    let whole = try #require(try SVGDecoder().probe(file, isComplete: true))
    for count in 0..<file.count {
      let part = try SVGDecoder().probe(file.prefix(count), isComplete: false)
      #expect(part == nil || part == whole)
    }
    #expect(try SVGDecoder().probe(file.prefix(70), isComplete: false) == whole)
  }

  @Test func `a document is rendered at the target size as by rsvg-convert`() throws {
    let golden = try PNGDecoder().decode(Fixture.data("golden/svg-shapes.svg.png"), options: DecodingOptions()).bitmap
    let file = try Fixture.data("svg/shapes.svg")
    let image = try SVGDecoder().decode(file, options: DecodingOptions(size: .fit(width: 200, height: .max)))
    #expect(image.info.pixelSize == PixelSize(width: 131, height: 76))
    try #require(image.size == golden.size)
    let whole = TargetSize.original.geometry(for: golden.size)
    #expect(image.bitmap.difference(toAveraged: golden, geometry: whole) < 1)
  }

  @Test func `a fill target shows the centre`() throws {
    let stripes =
      "<rect width='10' height='10' fill='red'/><rect x='10' width='10' height='10' fill='lime'/>"
      + "<rect x='20' width='10' height='10' fill='blue'/>"
    let file = Self.document("width='30' height='10'", stripes)
    for side in [5, 10, 80] {
      let size = TargetSize.fill(width: side, height: side)
      let bitmap = try SVGDecoder().decode(file, options: DecodingOptions(size: size)).bitmap
      #expect(bitmap.size == PixelSize(width: side, height: side))
      for column in [0, side / 2, side - 1] { #expect(bitmap.color(column, side / 2) == Color(0, 255, 0, 255)) }
    }
  }

  @Test func `colours are premultiplied by alpha`() throws {
    let file = Self.document("width='4' height='4'", "<rect width='4' height='4' fill='#ff8000' opacity='0.5'/>")
    let color = try SVGDecoder().decode(file, options: DecodingOptions()).bitmap.color(2, 2)
    let distance = color &- Color(128, 64, 0, 128)
    #expect((0..<4).allSatisfy { abs(distance[$0]) <= 1 }, "\(color)")
  }
}
#endif
