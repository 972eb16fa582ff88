#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// Styles and elements that browsers know and librsvg does not.
@Suite(.integrationTest, .fixtureFonts)
struct SVGFeatureTests {
  private static func image(_ content: String) throws -> DecodedImage {
    let text = """
      <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20" \
      viewBox="0 0 10 10">\(content)</svg>
      """
    return try SVGDecoder().decode(Data(text.utf8), options: DecodingOptions())
  }

  private static let rect = "<rect class='a' width='10' height='10'/>"

  private static let known: [String] = [
    "<style>@media screen{.a{fill:green}}</style>\(rect)",
    "<style>@media only screen and (prefers-color-scheme: light){@media all{.a{fill:green}}}</style>\(rect)",
    "<style>.a{fill:green}@media (prefers-color-scheme:dark){.a{fill:red}}@media print{.a{fill:red}}</style>\(rect)",
    "<style media='print'>.a{fill:red}</style><style media='screen, print'>.a{fill:green}</style>\(rect)",
    "<style>@charset 'utf-8';@namespace svg url(http://www.w3.org/2000/svg);.a{fill:green}</style>\(rect)",
    "<style>:root{--Main-1:green}.a{fill:var(--Main-1)}</style>\(rect)",
    "<style>svg{--b:var(--a);--a:green}</style><rect fill='var( --b )' width='10' height='10'/>",
    "<style>:root{--a:1;--b:none}</style><rect width='10' height='10' style='fill:rgba(0,128,0,var(--a))' "
      + "stroke='var(--b)'/>",
    "<rect width='10' height='10' style='fill:VAR(--none, var(--other,green))'/>",
    "<style>:root{--a:red}@media (prefers-color-scheme:light){:root{--b:green}}.a{fill:var(--b)}</style>\(rect)",
    "<rect width='5' height='5' style='transform:rotate(180deg) scale(2);transform-origin:5px 5px' fill='green'/>",
    "<rect width='5' height='5' transform='scale(3)' transform-origin='2.5 2.5' fill='green'/>",
    "<rect width='10' height='10' transform-origin='center' fill='green'/>",
    "<rect width='10' height='10' fill='green' style='word-spacing:normal;vector-effect:none;translate:none'/>",
    "<rect width='10' height='10' fill='green' stroke='#12c' stroke-width='0' style='font-family:\"var(x) 1rem\"'/>",
    "<text x='5' y='5'>a</text>\(rect.replacing("class='a'", with: "fill='green' pathLength='1'"))",
  ]

  @Test(arguments: known)
  func `styles that depend on nothing else are drawn`(_ content: String) throws {
    let image = try Self.image(content)
    #expect(image.bitmap.color(10, 10) == Color(0, 128, 0, 255))
    #expect(image.info.droppedContent.isEmpty)
  }

  @Test(arguments: [
    "transform:translate(2px,3px) rotate(30deg);transform-origin:4px 6px",
    "transform:scale(.5);transform-origin:8px 2px",
  ])
  func `a transform has its origin`(_ style: String) throws {
    let shape = "<rect x='2' y='2' width='6' height='5'"
    let numbers = style.split { !"0123456789.".contains($0) }.suffix(2).joined(separator: " ")
    let transform = try #require(style.split(separator: ";").first).replacing("transform:", with: "")
      .replacing("px", with: "").replacing("deg", with: "")
    let moved = numbers.split(separator: " ").map { "-\($0)" }.joined(separator: " ")
    let expected = try Self.image("\(shape) transform='translate(\(numbers)) \(transform) translate(\(moved))'/>")
    for written in [
      "\(shape) style='\(style)'/>", "\(shape) transform='\(transform)' transform-origin='\(numbers)'/>",
    ] {
      let image = try Self.image(written)
      #expect(image.bitmap.largestDifference(to: expected.bitmap) <= 1)
    }
  }

  private static let unknown: [String] = [
    "<style>@media (min-width:1px){.a{fill:green}}</style>\(rect)",
    "<style media='(orientation:landscape)'>.a{fill:green}</style>\(rect)",
    "<style>@supports (fill:red){.a{fill:green}}</style>\(rect)", "<style>@layer a{.a{fill:green}}</style>\(rect)",
    "<style>@font-face{font-family:x;src:url(data:font/woff2;base64,AA)}</style>\(rect)",
    "<style>:is(rect){fill:green}</style>\(rect)", "<style>:where(rect){fill:green}</style>\(rect)",
    "<style>g:has(rect){fill:green}</style>\(rect)", "<style>svg|rect{fill:green}</style>\(rect)",
    "<style>g{fill:red; rect{fill:green}}</style>\(rect)", "<style>.a\\:b{fill:green}</style>\(rect)",
    "<style>.b{--c:red}.a{fill:var(--c)}</style>\(rect)",
    "<style>:root{--c:red}g{--c:green}.a{fill:var(--c)}</style>\(rect)",
    "<style>:root{--a:var(--b);--b:var(--a)}.a{fill:var(--a)}</style>\(rect)", "<rect fill='var(--none)'/>",
    "<rect style='width:calc(5px + 5px)'/>", "<rect width='min(5px,50%)'/>", "<rect width='2rem'/>",
    "<rect style='width:50vw'/>", "<rect fill='oklch(.5 .2 142)'/>", "<rect style='fill:lab(46% -47 48)'/>",
    "<rect style='fill:color-mix(in srgb,red,green)'/>", "<rect style='fill:color(srgb 0 .5 0)'/>",
    "<rect style='fill:hwb(120 0% 50%)'/>", "<rect style='fill:unset'/>", "<rect style='all:unset'/>",
    "<style>.a{transform-origin:center;transform:rotate(9deg)}</style>\(rect)",
    "<rect transform='rotate(9)' transform-origin='center'/>", "<rect style='transform:rotate(.1turn)'/>",
    "<rect style='transform:translate3d(1px,0,0)'/>", "<rect style='scale:2'/>",
    "<rect style='transform-box:fill-box'/>",
    "<rect style='clip-path:circle(3px)'/>", "<rect style='mask:linear-gradient(red,red)'/>",
    "<path style='d:path(\"M0 0H9\")'/>", "<path d='M0 0H9' pathLength='1' stroke-dasharray='1'/>",
    "<path d='M0 0H9' vector-effect='non-scaling-stroke'/>", "<text dominant-baseline='middle'>a</text>",
    "<text textLength='9'>a</text>", "<text x='1 2'>ab</text>", "<text y='1 2'>ab</text>",
    "<text><tspan dx='1 2'>ab</tspan></text>",
    "<text style='text-transform:uppercase'>a</text>", "<text word-spacing='3'>a b</text>",
    "<path id='p' d='M0 9H9'/><text><textPath href='#p'>a</textPath></text>",
    "<g style='background:linear-gradient(red,blue)'/>",
    "<switch><foreignObject width='9' height='9'/>\(rect)</switch>",
  ]

  @Test(arguments: unknown)
  func `styles and elements that are not drawn are told`(_ content: String) throws {
    #expect(try Self.image(content).info.droppedContent == [.svgFeatures])
  }

  @Test(arguments: [
    "<circle r='3'><animate attributeName='r' to='9' dur='1s'/></circle>", "<rect><set/></rect>",
    "<style>@keyframes a{to{opacity:0}}</style>", "<style>@-webkit-keyframes a{to{opacity:0}}</style>",
    "<rect style='animation:a 3s'/>",
  ])
  func `movement is told`(_ content: String) throws {
    #expect(try Self.image(content).info.droppedContent == [.frames])
  }

  @Test func `custom properties that expand to megabytes are left out`() throws {
    var style = ":root{--a0:greengreen;"
    for level in 1..<60 { style += "--a\(level):" + String(repeating: "var(--a\(level - 1))", count: 10) + ";" }
    let image = try Self.image("<style>\(style)}.a{fill:var(--a59)}</style>\(Self.rect)")
    #expect(image.info.droppedContent == [.svgFeatures])
    let chain = (0..<20_000).map { "--c\($0):var(--c\($0 + 1));" }.joined()
    _ = try Self.image("<style>:root{\(chain)}.a{fill:var(--c0)}</style>\(Self.rect)")
  }
}
#endif
