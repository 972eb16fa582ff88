#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// The content of drawings that have been checked is still drawn.
@Suite(.integrationTest, .fixtureFonts)
struct SVGContentTests {
  private static func document(_ content: String, head: String = "") -> Data {
    Data(
      """
      \(head)<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20" \
      viewBox="0 0 10 10">\(content)</svg>
      """.utf8)
  }

  private static let green = Color(0, 128, 0, 255)

  private func centre(_ file: Data) throws -> Color {
    try SVGDecoder().decode(file, options: DecodingOptions()).bitmap.color(10, 10)
  }

  private static let drawings: [String] = [
    "<style>.a{fill:green}</style><rect class='b a' width='10' height='10'/>",
    "<style><![CDATA[ /* } */ @import 'x'; @media print { rect { fill: red } } g > #r, .x { fill : green ; } ]]></style>"
      + "<g><rect id='r' width='10' height='10'/></g>",
    "<style>rect[width='10']{fill:green}</style><rect width='10' height='10'/>",
    "<rect width='10' height='10' style='font-family:\"a;b\"; fill:green'/>",
    "<linearGradient id='g'><stop stop-color='green'/></linearGradient><rect width='10' height='10' fill='url(#g)'/>",
    "<style>.a{fill:url(#g)}</style><linearGradient id='g'><stop stop-color='green'/></linearGradient>"
      + "<rect class='a' width='10' height='10'/>",
    "<pattern id='p' width='1' height='1'><rect width='10' height='10' fill='green'/></pattern>"
      + "<rect width='10' height='10' fill='url(#p)'/>",
    "<pattern id='p' width='.5' height='.5' patternContentUnits='objectBoundingBox'><rect width='1' height='1' "
      + "fill='green'/></pattern><path d='M0,0h10v10h-10z' fill='url(\"#p\")'/>",
    "<defs><rect id='r' width='10' height='10' fill='green'/></defs><use xlink:href='#r'/>",
    "<defs><rect id='r' width='10' height='10' fill='green'/></defs><use href='#r' xlink:href='#s'/>",
    "<defs><rect id='r' width='10' height='10' fill='green'/></defs><use xlink:href='#s' href='#r'/>",
    "<symbol id='s' viewBox='0 0 1 1'><rect width='1' height='1' fill='green'/></symbol><use href='#s'/>",
    "<mask id='m'><rect width='10' height='10' fill='white'/></mask>"
      + "<rect width='10' height='10' fill='green' mask='url(#m)'/>",
    "<clipPath id='c'><rect width='10' height='10'/></clipPath>"
      + "<rect width='10' height='10' fill='green' clip-path='url(#c)'/>",
    "<filter id='f'><feFlood flood-color='green'/></filter><rect width='10' height='10' filter='url(#f)'/>",
    "<filter id='f'><feGaussianBlur stdDeviation='1'/></filter>"
      + "<rect x='-20' y='-20' width='50' height='50' fill='green' filter='url(#f)'/>",
    "<marker id='m' markerWidth='9' markerHeight='9' overflow='visible'><rect x='-5' y='-5' width='10' height='10' "
      + "fill='green'/></marker><path d='M5 5L5 5.1' marker-start='url(#m)'/>",
    "<svg viewBox='0 0 5 5'><switch><rect width='5' height='5' fill='green'/></switch></svg>",
    "<a xlink:href='http://example.com'><rect width='10' height='10' fill='green'/></a>",
    "<i:x xmlns:i='urn:i'><rect width='10' height='10' fill='red'/></i:x><rect i:y='1' xmlns:i='urn:i' "
      + "width='10' height='10' fill='green'/>",
    "<style>rect:not(.b, .c) {fill:green}</style><rect width='10' height='10'/>",
    "<text y='10' font-size='20'>&#x2588;<tspan> &lt;&amp;</tspan></text><rect width='10' height='10' fill='green'/>",
  ]

  @Test(arguments: drawings)
  func `styles, references and nested content are drawn`(_ content: String) throws {
    #expect(try centre(Self.document(content)) == Self.green)
  }

  @Test func `entities of plain text are expanded, also in namespaces`() throws {
    let text = """
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
        <!ENTITY ns "http://www.w3.org/2000/svg"><!ENTITY c "gre&#101;n">
      ]><svg xmlns="&ns;" width="20" height="20"><rect width="20" height="20" fill="&c;"/></svg>
      """
    #expect(try centre(Data(text.utf8)) == Self.green)
  }

  @Test func `included documents and foreign roots are refused`() throws {
    #expect(throws: ImageDecodingError.unsupportedFeature(.svg, feature: "XInclude")) {
      try centre(Self.document("<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='data:,x'/>"))
    }
    let feature = #"a root element <svg> without xmlns="http://www.w3.org/2000/svg""#
    #expect(throws: ImageDecodingError.unsupportedFeature(.svg, feature: feature)) {
      try centre(Data("<svg width='9' height='9'/>".utf8))
    }
  }
}
#endif
