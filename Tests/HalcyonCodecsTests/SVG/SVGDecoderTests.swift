#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .fixtureFonts)
struct SVGDecoderTests {
  private static let space = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"

  private static func document(_ attributes: String, _ content: String = "") -> Data {
    Data("<svg \(space) \(attributes)>\(content)</svg>".utf8)
  }

  @Test(arguments: [
    (TargetSize.original, 10, 8), (.fit(width: 100, height: 100), 100, 80), (.fill(width: 40, height: 40), 40, 40),
    (.exact(width: 30, height: 60), 30, 60),
  ])
  func `a region of a document is drawn at the target size`(_ size: TargetSize, _ width: Int, _ height: Int) throws {
    let squares = "<path d='M0 0h20v20h-20z' fill='#f00'/><path d='M20 0h20v20h-20z' fill='#00f'/>"
    let region = PixelArea(left: 15, top: 5, width: 10, height: 8)
    let options = DecodingOptions(size: size, region: region)
    let image = try SVGDecoder().decode(Self.document("width='40' height='20'", squares), options: options)
    #expect(image.size == PixelSize(width: width, height: height) && image.info.pixelSize.width == 40)
    for row in [0, height - 1] {
      for column in [0, width / 2 - 1, width / 2, width - 1] {
        let expected = column < width / 2 ? Color(255, 0, 0, 255) : Color(0, 0, 255, 255)
        #expect(image.bitmap.color(column, row) == expected)
      }
    }
    #expect(throws: ImageDecodingError.self) {
      let outside = DecodingOptions(region: PixelArea(left: 35, top: 0, width: 6, height: 1))
      _ = try SVGDecoder().decode(Self.document("width='40' height='20'", squares), options: outside)
    }
  }

  @Test(arguments: [
    ("width='40' height='30'", 40, 30), ("width='40px' height='0.5in' viewBox='0 0 9 9'", 40, 48),
    ("viewBox='0 0 131 76'", 131, 76), ("viewBox='0,0,10.4,20.6'", 10, 21),
    ("width='100' viewBox='0 0 50 25'", 100, 50),
    ("height='10mm' viewBox='0 0 2 1'", 76, 38), ("width='100%' height='100%' viewBox='5 5 30 20'", 30, 20),
    ("", 300, 150), ("width='50'", 50, 150), ("width='2em' height='1e1'", 32, 10),
    ("width='nan' height='inf'", 300, 150), ("width='-5' height='-5'", 300, 150), ("width='0' height='5'", 0, 5),
    ("width='.2' height='.2'", 1, 1), ("width='3ex' height='2rem'", 24, 32), ("width='3pt' height='3pc'", 4, 48),
    ("width='1cm' height='40q'", 38, 38), ("width='1CM' height='1vw'", 38, 150),
    ("width='2em' height='2em' font-size='10'", 20, 20), ("width='2em' height='2em' font-size='200%'", 64, 64),
    ("width='2em' height='1' font-size='9' style='font-size:1pc;font-size:10px'", 20, 1),
    ("width='2em' height='1' font-size='small'", 32, 1), ("viewBox='0 0 -9 9'", 300, 150),
    ("viewBox='0 0 9 0'", 300, 150), ("viewBox='0 0 9'", 300, 150), ("viewBox='0 0 9 9 9'", 300, 150),
    ("viewBox='0 0 9 9px'", 300, 150), ("viewBox='0 0 inf 9'", 300, 150),
    ("height='40%' width='8' viewBox='0 0 2 1'", 8, 4),
    ("width='8' height='9' viewBox='0 0 2 1'", 8, 9), ("width='2e9' height='1'", 1_000_000_000, 1),
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

  @Test(arguments: [
    (TargetSize.fit(width: 200, height: 200), 200, 133), (.fit(width: 200), 200, 133),
    (.exact(width: 90, height: 60), 90, 60),
    (.fill(width: 100, height: 60), 100, 60), (.fill(width: 60, height: 90), 60, 90),
  ])
  func `a document with larger sides than the limits is drawn at a smaller size`(
    _ target: TargetSize, _ width: Int, _ height: Int
  ) throws {
    let file = try Fixture.data("cases/svg-large-viewbox.svg")
    let image = try SVGDecoder().decode(file, options: DecodingOptions(size: target))
    #expect(image.size == PixelSize(width: width, height: height))
    #expect(image.info.pixelSize == PixelSize(width: 30_000, height: 20_000))
    #expect(image.bitmap.color(width / 4, height / 2) == Color(255, 0, 0, 255))
    #expect(image.bitmap.color(width * 3 / 4, height / 2) == Color(0, 0, 255, 255))
    #expect(throws: ImageDecodingError.sideTooLong(PixelSize(width: 30_000, height: 20_000), limit: 16_384)) {
      try SVGDecoder().decode(file, options: DecodingOptions())
    }
  }

  @Test func `a document with larger sides than the limits is drawn inside another one`() throws {
    let inner = try Fixture.data("cases/svg-large-viewbox.svg").base64EncodedString()
    let file = Self.document(
      "width='60' height='40'", "<image width='60' height='40' href='data:image/svg+xml;base64,\(inner)'/>")
    let bitmap = try SVGDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(bitmap.color(15, 20) == Color(255, 0, 0, 255) && bitmap.color(45, 20) == Color(0, 0, 255, 255))
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

  private static let full = "<rect x='-9' y='-9' width='999' height='999' fill='lime'/>"

  @Test(arguments: [
    ("viewBox='0 0 1.5 1'", TargetSize.fit(width: 480), PixelSize(width: 480, height: 320)),
    ("viewBox='0 0 1.5 1'", .fit(height: 320), PixelSize(width: 480, height: 320)),
    ("viewBox='0 0 .03 .02'", .fit(width: 30, height: 90), PixelSize(width: 30, height: 20)),
    ("width='2.4mm' height='1.2mm' viewBox='0 0 2 1'", .fit(width: 400), PixelSize(width: 400, height: 200)),
    ("viewBox='0 0 1.5 1'", .fill(width: 30, height: 30), PixelSize(width: 30, height: 30)),
    ("viewBox='0 0 1.5 1'", .fill(width: 30, height: 30, anchor: .left), PixelSize(width: 30, height: 30)),
    ("viewBox='0 0 1.5 1'", .original, PixelSize(width: 2, height: 1)),
    // Bands of a fraction of a pixel.
    ("viewBox='0 0 300 199'", .fit(width: 100), PixelSize(width: 100, height: 66)),
    ("viewBox='0 0 10.4 20.6'", .original, PixelSize(width: 10, height: 21)),
  ])
  func `a drawing fills its pixels, whose ratio is that before its size is rounded`(
    _ attributes: String, _ target: TargetSize, _ size: PixelSize
  ) throws {
    let bitmap = try SVGDecoder().decode(
      Self.document(attributes, Self.full), options: DecodingOptions(size: target)
    ).bitmap
    #expect(bitmap.size == size)
    for (x, y) in [(0, 0), (size.width - 1, 0), (0, size.height - 1), (size.width - 1, size.height - 1)] {
      #expect(bitmap.color(x, y) == Color(0, 255, 0, 255))
    }
  }

  @Test(arguments: [
    "viewBox='0 0 0 0'", "viewBox='0 0 9 0' width='20' height='20'", "viewBox='0,0,0,9' width='20'",
  ])
  func `a view box without an area shows nothing`(_ attributes: String) throws {
    let bitmap = try SVGDecoder().decode(Self.document(attributes, Self.full), options: DecodingOptions()).bitmap
    #expect(bitmap.color(bitmap.size.width / 2, bitmap.size.height / 2) == Color(0, 0, 0, 0))
  }

  @Test(arguments: [
    "<svg viewBox='0 0 0 0' width='20' height='20'>\(full)</svg>",
    "<symbol id='s' viewBox='0 0 0 5'>\(full)</symbol><use href='#s' width='20' height='20'/>",
    "<pattern id='p' viewBox='0 0 0 0' width='1' height='1'>\(full)</pattern><rect width='20' height='20' "
      + "fill='url(#p)'/>",
    "<marker id='m' viewBox='0 0 0 0' overflow='visible'>\(full)</marker><path d='M5 5L9 9' marker-end='url(#m)'/>",
  ])
  func `an element whose view box has no area is not drawn`(_ content: String) throws {
    let file = Self.document("width='20' height='20'", content)
    #expect(try SVGDecoder().decode(file, options: DecodingOptions()).bitmap.color(10, 10) == Color(0, 0, 0, 0))
  }

  @Test func `a compressed document is decompressed`() throws {
    let file = try Fixture.data("svg/shapes.svg")
    let expected = try SVGDecoder().decode(file, options: DecodingOptions())
    let image = try SVGDecoder().decode(file.gzipped, options: DecodingOptions())
    #expect(image.info == expected.info && image.bitmap.largestDifference(to: expected.bitmap) == 0)
    #expect(try SVGDecoder().probe(file.gzipped.prefix(20), isComplete: false) == nil)
    #expect(throws: ImageDecodingError.truncated(.svg)) {
      try SVGDecoder().decode(file.gzipped.dropLast(9), options: DecodingOptions())
    }
    var damaged = file.gzipped
    for index in 10..<damaged.count { damaged[index] = 0xFF }
    #expect(throws: ImageDecodingError.corrupt(.svg, reason: "it cannot be decompressed")) {
      try SVGDecoder().decode(damaged, options: DecodingOptions())
    }
  }

  @Test func `a document of over 64 MiB in a small file is refused`() {
    var text = Self.document("width='9' height='9'")
    text.append(Data(repeating: 0x20, count: 64 << 20))
    #expect(
      throws: ImageDecodingError.unsupportedFeature(.svg, feature: "compressed text of over 67108864 bytes")
    ) { try SVGDecoder().decode(text.gzipped, options: DecodingOptions()) }
  }

  @Test func `colours are premultiplied by alpha`() throws {
    let file = Self.document("width='4' height='4'", "<rect width='4' height='4' fill='#ff8000' opacity='0.5'/>")
    let color = try SVGDecoder().decode(file, options: DecodingOptions()).bitmap.color(2, 2)
    let distance = color &- Color(128, 64, 0, 128)
    #expect((0..<4).allSatisfy { abs(distance[$0]) <= 1 }, "\(color)")
  }
}
#endif
