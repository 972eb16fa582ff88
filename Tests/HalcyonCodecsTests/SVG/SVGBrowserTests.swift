#if SVG
import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// What librsvg alone draws in another way than browsers.
@Suite(.integrationTest, .fixtureFonts)
struct SVGBrowserTests {
  private static func image(_ root: String, _ content: String, size: TargetSize = .original) throws -> DecodedImage {
    let text = "<svg xmlns='http://www.w3.org/2000/svg' \(root)>\(content)</svg>"
    return try SVGDecoder().decode(Data(text.utf8), options: DecodingOptions(size: size))
  }

  private static let tile = "<rect width='200' height='200' fill='#e23'/>"

  @Test(arguments: [
    "<pattern id='p' width='.25' height='.25'>\(tile)</pattern><text y='90' font-size='90' fill='url(#p)'>I</text>",
    "<pattern id='p' width='100%' height='100%'>\(tile)</pattern><text y='90' font-size='90' fill='url(#p)'>Rg</text>",
    "<pattern id='p' width='1' height='1'>\(tile)</pattern><text y='60' font-size='40' stroke='url(#p)' "
      + "stroke-width='9'>Rg</text>",
    "<pattern id='p' width='1' height='1'>\(tile)</pattern><g fill='url(#p)'><text y='90' font-size='90'>"
      + "<tspan>Rg</tspan></text></g>",
    "<pattern id='p' width='1' height='1' patternContentUnits='objectBoundingBox'><rect width='1' height='1' "
      + "fill='#e23'/></pattern><text y='90' font-size='90' fill='url(#p)'>I</text>",
    "<pattern id='q'>\(tile)</pattern><pattern id='p' href='#q' width='.5' height='.5' patternTransform='rotate(9)'/>"
      + "<text y='90' font-size='90' style='fill:url(#p)'>I</text>",
    "<pattern id='p' width='1' height='1'>\(tile)</pattern><defs><text id='t' y='90' font-size='90'>Rg</text></defs>"
      + "<use href='#t' fill='url(#p)'/>",
    "<pattern id='p' width='.5' height='.5'>\(tile)</pattern><rect width='5em' height='5em' fill='url(#p)'/>",
    "<pattern id='p' width='9' height='9' patternUnits='userSpaceOnUse'>\(tile)</pattern>"
      + "<mask id='m' maskContentUnits='objectBoundingBox'><rect width='1' height='1' fill='url(#p)'/></mask>"
      + "<rect width='99' height='99' fill='#e23'/><rect width='99' height='99' fill='#e23' mask='url(#m)'/>",
    "<clipPath id='c' clipPathUnits='objectBoundingBox'><text font-size='1' y='1'>I</text></clipPath>"
      + "<rect width='99' height='99' fill='#e23' clip-path='url(#c)'/>",
  ])
  func `a pattern in units of the box of a text or a shape is drawn`(_ content: String) throws {
    let image = try Self.image("width='100' height='100'", content)
    let colors = (0..<100).flatMap { y in (0..<100).map { image.bitmap.color($0, y) } }
    #expect(colors.contains(Color(0xEE, 0x22, 0x33, 255)))
  }
}
#endif
