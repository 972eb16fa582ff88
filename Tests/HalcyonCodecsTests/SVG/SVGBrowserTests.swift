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

  private static let red = Color(255, 0, 0, 255)
  private static let clear = Color(0, 0, 0, 0)

  @Test(arguments: [
    ("style='background-color: rgb(255, 0, 0);'", ""), ("style='background:#f00'", ""),
    ("style='background: no-repeat rgb(255, 0, 0) scroll'", ""),
    ("style='background-color:blue;background-color:red'", ""), ("style='background:blue;background-color:red'", ""),
    ("style='background-color:red;background-color:light-dark(blue,green)'", ""),
    ("", "<style>svg{background:red}</style>"), ("id='r'", "<style>#r{background:red}svg{background:blue}</style>"),
    ("class='a b'", "<style>.b{background-color:red}</style>"), ("", "<style>:root{background:red}</style>"),
    ("", "<style>:root{--paper:red;background:var(--paper)}</style>"),
    ("style='background:red'", "<style>svg{background:blue}</style>"),
    ("style='background:blue'", "<style>svg{background:red!important}</style>"),
    ("style='background:red'", "<style>rect,*:not(svg){background:blue}</style>"),
    ("style='background:red' viewBox='5 5 10 30'", ""),
  ])
  func `the background of the root element is painted`(_ root: String, _ content: String) throws {
    let shape = "<rect x='10' y='10' width='5' height='5' fill='lime'/>"
    let image = try Self.image("width='40' height='30' \(root)", content + shape)
    for (x, y) in [(0, 0), (39, 29), (39, 0)] { #expect(image.bitmap.color(x, y) == Self.red) }
    #expect(root.contains("viewBox") || image.bitmap.color(12, 12) == Color(0, 255, 0, 255))
    let large = try Self.image("width='40' height='30' \(root)", content, size: .fit(width: 80, height: 60))
    #expect(large.bitmap.color(79, 59) == Self.red)
  }

  @Test(arguments: [
    ("style='background:none'", ""), ("style='background:red;background:transparent'", ""),
    ("", "<style>rect,.a{background:red}</style>"), ("background='red' background-color='red'", ""),
    ("", "<g style='background:red'/>"), ("", "<svg width='9' height='9' style='background:red'/>"),
  ])
  func `other backgrounds are not`(_ root: String, _ content: String) throws {
    let image = try Self.image("width='40' height='30' \(root)", content + "<rect x='20' width='9' height='9'/>")
    #expect(image.bitmap.color(2, 2) == Self.clear && image.info.droppedContent.isEmpty)
  }

  private static let lime = "fill='lime'"

  @Test(arguments: [
    ("width='2em' height='2em'", "<rect width='16' height='16' \(lime)/>"),
    ("width='4ex' height='2em'", "<rect width='16' height='16' \(lime)/>"),
    ("width='2rem' height='32'", "<rect width='16' height='16' \(lime)/>"),
    ("width='2em' height='2em' font-size='16'", "<rect width='16' height='16' \(lime)/>"),
    ("width='4em' height='4em' font-size='8'", "<rect width='2em' height='2em' \(lime)/>"),
    ("width='4em' height='2rem' style='font-size:8px'", "<rect width='2em' height='16' \(lime)/>"),
    ("width='2em' height='2em' font-size='100%'", "<rect width='1em' height='2ex' \(lime)/>"),
    ("width='2em' height='2em' style='font-size:1em'", "<rect width='1em' height='2ex' \(lime)/>"),
    ("width='32' height='32'", "<rect width='1em' height='2ex' \(lime)/>"),
    ("width='2em' height='2em' viewBox='0 0 8 8'", "<rect width='4' height='4' \(lime)/>"),
    ("width='2em' viewBox='0 0 8 8'", "<rect width='4' height='4' \(lime)/>"),
  ])
  func `an em is the font size, 16 pixels without one`(_ root: String, _ content: String) throws {
    let isTall = root.contains("height='2rem'") && root.contains("8px")
    let image = try Self.image(root, content)
    #expect(image.size == PixelSize(width: 32, height: isTall ? 16 : 32))
    #expect(image.bitmap.color(15, 15) == Color(0, 255, 0, 255))
    #expect(image.bitmap.color(17, 5) == Self.clear)
    let large = try Self.image(root, content, size: .fit(width: 64, height: 64))
    #expect(large.bitmap.color(30, 30) == Color(0, 255, 0, 255) && large.bitmap.color(34, 10) == Self.clear)
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
