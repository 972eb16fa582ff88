#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// Small drawings that would take all memory, hours, or the stack.
@Suite(.integrationTest, .slow, .fixtureFonts)
struct SVGLimitTests {
  private static let tooDeep = "elements or references nested over 100 levels deep"
  private static let tooMany = "references that expand to over 100000 elements"

  private static func document(_ content: String, size: Int = 100) -> Data {
    Data(
      """
      <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="\(size)" \
      height="\(size)">\(content)</svg>
      """.utf8)
  }

  /// The feature that is named when the document is refused; `nil` if it is drawn.
  private func refusal(_ file: Data) throws -> String? {
    do {
      _ = try SVGDecoder().decode(file, options: DecodingOptions())
      return nil
    } catch ImageDecodingError.unsupportedFeature(.svg, let feature) {
      return feature
    }
  }

  private static func repeated(_ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined() }

  @Test(arguments: ["g", "a", "svg", "switch", "text"], [45, 99, 120, 217, 250, 1000])
  func `elements nest to a depth of 100, or of 50 with newer versions of librsvg`(_ name: String, _ depth: Int)
    throws
  {
    let nested = Self.repeated(depth) { _ in "<\(name)>" } + Self.repeated(depth) { _ in "</\(name)>" }
    let refusal = try refusal(Self.document(nested))
    switch depth {
    case ..<50: #expect(refusal == nil)
    case ..<100: #expect(refusal == nil || refusal == "elements nested deeper than librsvg draws")
    default: #expect(refusal == Self.tooDeep)
    }
  }

  /// Each element refers to the next one: N is its number, M the next.
  private static let chains: [(link: String, start: String)] = [
    ("<mask id='aN' mask='url(#aM)'><rect width='9' height='9'/></mask>", "mask='url(#a0)'"),
    ("<mask id='aN'><rect width='9' height='9' mask='url(#aM)'/></mask>", "mask='url(#a0)'"),
    ("<pattern id='aN' width='1' height='1'><rect width='9' height='9' fill='url(#aM)'/></pattern>", "fill='url(#a0)'"),
    ("<use id='aN' href='#aM'/>", ""),
    ("<clipPath id='aN' clip-path='url(#aM)'><rect/></clipPath>", "clip-path='url(#a0)'"),
    ("<linearGradient id='aN' href='#aM'/>", "fill='url(#a0)'"),
    ("<filter id='fN'><feImage href='#aM'/></filter><rect id='aN' filter='url(#fN)'/>", ""),
  ]

  @Test(arguments: chains.indices)
  func `references nest to a depth of 100`(_ index: Int) throws {
    let chain = Self.chains[index]
    let content = Self.repeated(120) { level in
      chain.link.replacing("N", with: "\(level)").replacing("M", with: "\(level + 1)")
    }
    let file = Self.document(content + "<rect width='9' height='9' \(chain.start)/>")
    #expect(try refusal(file) == Self.tooDeep)
  }

  @Test func `a kernel has at most 15 numbers a side, as many as its order says`() throws {
    func convolution(_ order: String, _ count: Int) -> Data {
      let kernel = Self.repeated(count) { _ in "1 " }
      return Self.document(
        "<filter id='f'><feConvolveMatrix order='\(order)' kernelMatrix='\(kernel)'/></filter>"
          + "<rect width='9' height='9' filter='url(#f)'/>")
    }
    #expect(try refusal(convolution("3", 9)) == nil)
    #expect(try refusal(convolution("15 2", 30)) == nil)
    #expect(try refusal(convolution("21", 441)) == "feConvolveMatrix of order 21, not 1 to 15")
    #expect(try refusal(convolution("1 400", 400)) == "feConvolveMatrix of order 1 400, not 1 to 15")
    let size = "feConvolveMatrix with a kernel of another size than its order"
    #expect(try refusal(convolution("4", 400)) == size)
    #expect(try refusal(convolution("3", 8)) == size)
  }

  @Test func `turbulence has at most 32 octaves`() throws {
    func turbulence(_ octaves: String) -> Data {
      Self.document(
        "<filter id='f'><feTurbulence baseFrequency='0.1' numOctaves='\(octaves)'/></filter>"
          + "<rect width='9' height='9' filter='url(#f)'/>")
    }
    #expect(try refusal(turbulence("4")) == nil)
    #expect(try refusal(turbulence("2000000000")) == "feTurbulence with 2000000000 octaves, over 32")
    #expect(try refusal(turbulence("2e9")) == "feTurbulence with 2e9 octaves, over 32")
  }

  /// A definition, an element that uses it, and how often the element is drawn.
  private static let filtered = "<rect width='4000' height='4000' filter='url(#f)'/>"
  private static let costs: [(definition: String, element: String, count: Int)] = [
    ("<filter id='f'><feTurbulence baseFrequency='0.1' numOctaves='8'/></filter>", filtered, 20),
    ("<filter id='f'><feGaussianBlur stdDeviation='50'/></filter>", filtered, 20),
    ("<filter id='f'><feMorphology radius='1000'/></filter>", filtered, 20),
    ("", "<rect width='9' style='filter:blur(9px) blur(9px)'/>", 200),
    ("<style>.b{filter:blur(9px) blur(9px)}</style>", "<rect class='b'/>", 200),
    ("<mask id='m'><rect width='9' height='9'/></mask>", "<rect mask='url(#m)'/>", 2000),
    ("<marker id='m'><rect opacity='0.5'/></marker>", "<path marker-mid='url(#m)' d='M0 0H1H2H3H4H5H6H7H8H9'/>", 200),
  ]

  @Test(arguments: costs.indices)
  func `filters, masks and markers are refused by the pixels that they take`(_ index: Int) throws {
    let cost = Self.costs[index]
    let content = cost.definition + String(repeating: cost.element, count: cost.count)
    let feature = try #require(try refusal(Self.document(content, size: 4000)))
    #expect(feature.contains("take too long to draw on 4000x4000 pixels"))
  }

  /// A random walk of points on 800x800 units.
  private static func points(_ count: Int) -> [String] {
    var random: UInt64 = 1
    return (0..<count).map { _ in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return "\(random >> 33 % 800) \(random >> 43 % 800)"
    }
  }

  private static func path(_ command: String, _ points: [String], _ attributes: String = "") -> String {
    "<path d='M0 0\(command)\(points.joined(separator: " "))' \(attributes)/>"
  }

  private static let wide = "fill='none' stroke='red' stroke-width='40'"
  private static let dashed = "fill='none' stroke='red' stroke-dasharray="

  /// Paths of which each takes 10 to 80 seconds.
  private static let paths: [String] = [
    path("L", points(30_000), "fill-rule='evenodd'"),
    path("C", points(12_000), wide),
    "<polygon points='\(points(30_000).joined(separator: " "))'/>",
    "<clipPath id='c'>\(path("L", points(30_000)))</clipPath><rect width='800' height='800' clip-path='url(#c)'/>",
    "<mask id='c'>\(path("L", points(30_000)))</mask><rect width='800' height='800' mask='url(#c)'/>",
    "<pattern id='p' width='1' height='1'>\(path("L", points(30_000)))</pattern><rect width='800' height='800' "
      + "fill='url(#p)'/>",
    "<marker id='m' overflow='visible'>\(path("L", points(1000)))</marker>"
      + path("L", points(99), "marker-mid='url(#m)'"),
    "<defs>\(path("L", points(2000), "id='p'"))</defs>" + repeated(20) { _ in "<use href='#p'/>" },
    path("L", points(400), dashed + "'.01'"),
    "<g stroke-width='60' stroke-linecap='round'>\(path("L", points(2000), dashed + "'1'"))</g>",
    path("H", ["8e6"], dashed + "'.1 .1'"),
    "<line x2='8e6' \(dashed)'.1'/>", "<circle r='1e6' \(dashed)'.1'/>",
    "<svg viewBox='0 0 1 1'><path d='M0 0\(repeated(99) { _ in "H1H0" })' \(dashed)'.001%'/></svg>",
  ]

  @Test(arguments: paths.indices)
  func `paths that cross themselves and dashes are refused by the time that they take`(_ index: Int) throws {
    let feature = try #require(try refusal(Self.document(Self.paths[index], size: 800)))
    #expect(feature.hasPrefix("paths, filters, masks, patterns or selectors that take too long"))
  }

  /// Paths of which each takes less than half a second.
  private static let soundPaths: [String] = [
    path("L", points(1000)), path("C", points(600), wide), path("L", points(100), dashed + "'5'"),
    // As many points as above on a line that does not cross itself.
    "<polygon points='\((0..<30_000).map { "\($0 / 40) \($0 % 40 == 0 ? 9 : 1)" }.joined(separator: " "))'/>",
    "<rect width='800' height='800' \(dashed)'3 1'/>", "<circle r='50%' \(dashed)'inherit'/>",
  ]

  @Test(arguments: soundPaths.indices)
  func `long paths and dashes are drawn`(_ index: Int) throws {
    #expect(try refusal(Self.document(Self.soundPaths[index], size: 800)) == nil)
  }

  @Test func `small filtered shapes on a large canvas are drawn`() throws {
    let filter = "<filter id='f'><feGaussianBlur stdDeviation='2'/></filter>"
    let shape = "<rect width='20' height='20' filter='url(#f)'/>"
    #expect(try refusal(Self.document(filter + String(repeating: shape, count: 30), size: 2000)) == nil)
  }

  private static let attributes = repeated(2001) { " a\($0)='1'" }

  @Test(arguments: [
    "<rect\(attributes)/>", "<rect a='>'\(attributes)/>", "<!-- <g a=' --><rect\(attributes)/>",
    "<?a <g b=' ?><rect\(attributes)/>", "<text><![CDATA[<g a=']]></text><rect\(attributes)/>",
    "<rect\(repeated(2001) { " xmlns:a\($0)='1'" })/>",
  ])
  func `an element has at most 2,000 attributes`(_ content: String) throws {
    let feature = "elements with over 2000 attributes"
    #expect(try refusal(Self.document(content)) == feature)
    let text = String(decoding: Self.document(content), as: UTF8.self)
    #expect(try refusal(#require(text.data(using: .utf16))) == feature)
    #expect(try refusal(Self.document("<rect\(Self.repeated(2000) { " a\($0)='1'" })/>")) == nil)
  }

  @Test func `attributes that a document type adds are counted`() throws {
    let one = "<!ATTLIST rect\(Self.repeated(2001) { " a\($0) CDATA '1'" })>"
    let many = Self.repeated(2001) { "<!ATTLIST rect a\($0) CDATA '1'>" }
    for declarations in [one, many] {
      let text = "<!DOCTYPE svg [\(declarations)]>" + String(decoding: Self.document("<rect/>"), as: UTF8.self)
      #expect(try refusal(Data(text.utf8)) == "elements with over 2000 attributes")
    }
  }

  /// Markup in these encodings could not be checked before the parser reads it.
  @Test func `encodings without the bytes of ASCII are refused`() throws {
    func file(_ encoding: String) -> Data {
      Data("<?xml version='1.0' encoding='\(encoding)'?>".utf8) + Self.document("<rect/>")
    }
    #expect(try refusal(file("UTF-7")) == "the encoding UTF-7")
    for encoding in ["utf-8", "ISO-8859-15", "windows-1252", "Shift_JIS", "US-ASCII"] {
      #expect(try refusal(file(encoding)) == nil)
    }
  }

  @Test func `markers count at each vertex`() throws {
    let marker = "<marker id='m'>" + Self.repeated(50) { _ in "<rect/>" } + "</marker>"
    let path = "<path style='marker:url(#m)' d='M0 0" + Self.repeated(5000) { "H\($0)" } + "'/>"
    #expect(try refusal(Self.document(marker + path)) == Self.tooMany)
  }

  @Test func `selectors count for each element`() throws {
    let rules = Self.repeated(2000) { ".a\($0) g .b\($0) ~ .c{fill:red}" }
    let elements = Self.repeated(2000) { _ in "<g class='c'/>" }
    let feature = try #require(try refusal(Self.document("<style>\(rules)</style>\(elements)")))
    #expect(feature.contains("take too long to draw"))
  }

  /// Ways to write an identifier and ten references: N is the level, M the next one.
  private static let spellings: [(part: String, reference: String, end: String)] = [
    ("<g id='xN'>", "<use href='#xM'/>", "</g>"),
    ("<g id='&#120;N'>", "<use href='&#35;xM'/>", "</g>"),
    ("<g id='&x;N'>", "<use href='#&x;M'/>", "</g>"),
    ("<g id = \"xN\">", "<use xlink:href = '#xM'/>", "</g>"),
    (
      "<style>.cN{fill:url(#xM)}</style><pattern id='xN' width='1' height='1'>",
      "<rect width='9' height='9' class='cN'/>",
      "</pattern>"
    ),
    (
      "<pattern id='xN' width='1' height='1'>", "<rect width='9' height='9' style='/**/fill/**/: URL( \"#xM\" )'/>",
      "</pattern>"
    ),
    ("<mask id='xN'>", "<rect width='9' height='9' mask='url(#xM)'/>", "</mask>"),
  ]

  @Test(arguments: spellings.indices)
  func `expansion is counted however a reference is written`(_ index: Int) throws {
    let spelling = Self.spellings[index]
    var content = ""
    for level in 0..<9 {
      let part = spelling.part + String(repeating: spelling.reference, count: 10) + spelling.end
      content += part.replacing("N", with: "\(level)").replacing("M", with: "\(level + 1)")
    }
    content += "<use href='#x0'/><rect width='9' height='9' class='c0' fill='url(#x0)' mask='url(#x0)'/>"
    let text = "<!DOCTYPE svg [<!ENTITY x 'x'>]>" + String(decoding: Self.document(content, size: 10), as: UTF8.self)
    let feature = try #require(try refusal(Data(text.utf8)))
    #expect(feature == Self.tooMany || feature.contains("take too long"))
  }

  /// A mark that combines with the character before it does not hide that character.
  @Test func `references, selectors and lengths with combining marks are checked like others`() throws {
    let mark = "\u{301}"
    let bomb = "<filter id='\(mark)f'><feGaussianBlur stdDeviation='50'/></filter>"
    let rect = "<rect width='4000' height='4000' "
    let parts = [
      "\(rect)filter='url(#\(mark)f)'/>", "\(rect)style='filter:url(#\(mark)f)'/>",
      "<style>.\(mark)a{filter:url(#\(mark)f)}</style>\(rect)class='\(mark)a'/>",
      "<style>#\(mark)a{filter:url(#\(mark)f)}</style>\(rect)id='\(mark)a'/><use href='#\(mark)a'/>",
    ]
    for part in parts {
      let file = Self.document(bomb + String(repeating: part, count: 20), size: 4000)
      #expect(try refusal(file)?.contains("take too long") == true, "\(part)")
    }
  }

  @Test func `hidden references are left out, not drawn`() throws {
    for fill in ["u\\72l(#p)", "url(#p", "url(data:image/svg+xml,#p)", "url(/**/#p)"] {
      let file = Self.document(
        "<pattern id='p' width='1' height='1'><rect width='99' height='99' fill='red'/></pattern>"
          + "<rect width='100' height='100' fill='\(fill)' style='stroke:\(fill)'/>")
      let color = try SVGDecoder().decode(file, options: DecodingOptions()).bitmap.color(50, 50)
      #expect(color == Color(0, 0, 0, 0))
    }
  }

  @Test func `the tile of a pattern is limited`() throws {
    func pattern(_ side: String, _ transform: String) -> Data {
      Self.document(
        "<pattern id='p' patternUnits='userSpaceOnUse' width='\(side)' height='\(side)' patternTransform='\(transform)'>"
          + "<rect width='9' height='9'/></pattern><rect width='9' height='9' fill='url(#p)'/>")
    }
    #expect(try refusal(pattern("10", "")) == nil)
    let feature = "layers, masks or patterns of over 268435456 pixels at once"
    #expect(try refusal(pattern("30000", "")) == feature)
    #expect(try refusal(pattern("30", "scale(1000)")) == feature)
    #expect(try refusal(pattern("30", "matrix(1000 0 0-1000 0 0)")) == feature)
    #expect(try refusal(pattern("30em", "")) == feature)
  }

  /// librsvg ends the process where the size of a text overflows.
  @Test(arguments: [
    "<text font-size='1e9'>ab</text>",
    "<text font-size='90000'>ab</text>",
    "<text style='font-size:1e9px'>ab</text>",
    "<text style='font:bold 1e9px/2 serif'>ab</text>",
    "<text style='font:700 1e9px serif'>ab</text>",
    "<style>.a{font-size:30000in}</style><text class='a'>ab</text>",
    "<text letter-spacing='1e9'>ab</text>",
    "<text><a font-size='1e9'>ab</a></text>",
    "<g font-size='1e9'><text font-size='50%'>ab</text></g>",
    "<g font-size='1e9'><text font-size='-5'>ab</text></g>",
    "<g font-size='1e9'><text font-size='5ch'>ab</text></g>",
    "<g font-size='1e9'><text font-size='5.'>ab</text></g>",
    "<g font-size='1e9'><text style='font:bold 5px'>ab</text></g>",
    "<g font-size='1e9'><g font-size='inherit'><svg><text>ab</text></svg></g></g>",
    "<defs><text id='t'>ab</text></defs><use xlink:href='#t' font-size='1e9'/>",
    "<clipPath id='c' font-size='1e9'><text>ab</text></clipPath><rect width='9' height='9' clip-path='url(#c)'/>",
    "\(repeated(20) { _ in "<g font-size='2em'>" })<text>ab</text>\(repeated(20) { _ in "</g>" })",
    "<text font-size='16000'>abcdefghijk</text>",
  ])
  func `a line of text is at most 160,000 units long`(_ content: String) throws {
    #expect(try refusal(Self.document(content)) == "a line of text of over 160000 units")
  }

  @Test(arguments: [
    "<text font-size='30000' y='9'>ab</text>",
    "<marker id='m' viewBox='0 0 9 9'><text font-size='9'>a</text></marker><path d='M5 5L9 9' marker-end='url(#m)'/>",
    "<g font-size='1e9'><text font-size='9' y='9'>ab</text></g>",
    "<text style='font:700 12px/1.5 serif' y='9'>\(repeated(300) { _ in "a" })</text>",
    "<text font-size='2rem' y='9'>ab</text>",
    "<text font-size='xx-large' letter-spacing='normal' y='9'>ab</text>",
    "<g font-size='8'><text font-size='200%' y='9'>ab</text></g>",
  ])
  func `a shorter line of text is drawn`(_ content: String) throws {
    #expect(try refusal(Self.document(content)) == nil)
  }

  /// FreeType refuses larger ones; then drawings with the same font on other threads fail, too.
  @Test(arguments: [
    "<text font-size='70000'>ab</text>",
    "<text font-size='70000' transform='scale(.1)'>ab</text>",
    "<text font-size='10' transform='scale(7000)'>ab</text>",
    "<svg viewBox='0 0 .01 .01'><text font-size='10'>ab</text></svg>",
    "<g transform='matrix(0 3300 3300 0 0 0)'><text font-size='10'>ab</text></g>",
    "<marker id='m' viewBox='0 0 .001 .001'><text font-size='20'>a</text></marker>"
      + "<path d='M5 5L9 9' marker-end='url(#m)'/>",
    "<clipPath id='c' clipPathUnits='objectBoundingBox'><text font-size='9'>a</text></clipPath>"
      + "<rect width='3999' height='9' clip-path='url(#c)'/>",
  ])
  func `a letter is at most 32,000 units and pixels large`(_ content: String) throws {
    #expect(try refusal(Self.document(content)) == "letters of over 32000 units or pixels")
  }

  /// librsvg ignores the case of units, and what follows them.
  @Test(arguments: ["objectBoundingBox", " OBJECTBOUNDINGBOX", "objectboundingbox x", "objectBoundingBox;"])
  func `units are read as librsvg reads them`(_ units: String) throws {
    for (name, attribute) in [("clipPath", "clip-path"), ("mask", "mask")] {
      let content = "<\(name) id='c' clipPathUnits='\(units)' maskContentUnits='\(units)'><text font-size='9'>a</text>"
      let file = Self.document(content + "</\(name)><rect width='3999' height='9' \(attribute)='url(#c)'/>")
      #expect(try refusal(file) == "letters of over 32000 units or pixels")
    }
    let pattern =
      "<pattern id='p' width='1' height='1' patternContentUnits='\(units)'><text font-size='9'>a</text></pattern>"
    let file = Self.document(pattern + "<rect width='3999' height='9' fill='url(#p)'/>")
    #expect(try refusal(file) == "letters of over 32000 units or pixels")
  }

  @Test func `letters are as large as their drawing is drawn`() throws {
    let file = Self.document("<text font-size='400' y='9'>ab</text>")
    #expect(try refusal(file) == nil)
    let error = ImageDecodingError.unsupportedFeature(.svg, feature: "letters of over 32000 units or pixels")
    #expect(throws: error) {
      try SVGDecoder().decode(file, options: DecodingOptions(size: .fit(width: 9000, height: 9000)))
    }
  }

  @Test func `at most 32 font families are used`() throws {
    func text(_ count: Int) -> Data {
      Self.document(Self.repeated(count) { "<text font-family='none-\($0)' y='9'>a</text>" })
    }
    #expect(try refusal(text(2)) == nil)
    #expect(try refusal(text(33)) == "over 32 font families")
  }

  @Test func `drawing on after cancellation holds no caller`() throws {
    let file = Self.document(
      "<filter id='f'><feTurbulence baseFrequency='0.1' numOctaves='9'/></filter>"
        + "<rect width='1500' height='1500' filter='url(#f)'/>", size: 1500)
    let polls = Polls()
    #expect(throws: ImageDecodingError.cancelled) {
      try SVGDecoder().decode(file, options: DecodingOptions(isCancelled: { polls.next() > 1 }))
    }
  }
}
#endif
