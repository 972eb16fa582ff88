#if SVG && os(Linux)
import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// What nests without an end in a few bytes, given to a helper process that runs the real libraries.
@Suite(.integrationTest, .slow, .fixtureFonts)
struct SVGNestingTests {
  private static let rect = "<rect width='20' height='20' class='a'/>"

  private static func document(_ content: String, head: String = "") -> Data {
    let namespaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
    return Data("\(head)<svg \(namespaces) width='20' height='20'>\(content)</svg>".utf8)
  }

  private static func repeated(_ part: String, _ count: Int = 20_000) -> String {
    String(repeating: part, count: count)
  }

  private static func nested(_ open: String, _ inside: String, _ close: String = ")") -> String {
    repeated(open) + inside + repeated(close)
  }

  private static func rule(_ selector: String) -> Data { document("<style>\(selector){fill:red}</style>\(rect)") }

  /// Whether a helper draws the document or says why not, rather than being ended by the library or a limit.
  private static func survives(_ file: Data) throws -> Bool {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "halcyon-svg-helper")
    do {
      _ = try IsolatedSVGDecoder(helper: program).decode(file, options: DecodingOptions())
      return true
    } catch let error as ImageDecodingError {
      return !["helper process", "CPU time"].contains { "\(error)".contains($0) }
    }
  }

  private static let functions = [
    ":not(", ":host(", ":is(", ":where(", ":has(", ":matches(", ":-webkit-any(", "::slotted(", "::part(",
    ":host-context(", ":nth-child(2n of ", ":nth-last-child(1 of ", ":lang(", ":dir(", ":none(", "(",
  ]

  private static let selectors: [String] = functions.map { nested($0, "rect") } + flatSelectors + hiddenSelectors

  private static let flatSelectors: [String] = [
    repeated(":not("), nested("[", "a", "]"), nested("[a=", "b", "]"), "\(repeated("g "))rect",
    "\(repeated("g>"))rect", "\(repeated("g~"))rect", "\(repeated("g,"))rect", "rect\(repeated(":not(g)"))",
    "rect\(repeated("[width]"))", "\(repeated("a|"))rect",
  ]

  /// Brackets that are closed for a reader who does not look into strings, links, comments and escapes.
  private static let hiddenSelectors: [String] = [
    "\(repeated(":not([a=\")\"]"))\(repeated("[b=\"(\"])"))",
    "rect\(repeated(":not(url(x\"):not(\")"))\(repeated("\"(\"))"))",
    "/<!--* \" */\(nested(":not(", "rect"))/<!--* \" */", "rect/*\"*/\(nested(":not(", "g"))",
    repeated("\\3a not("), nested(":\\6eot(", "rect"),
  ]

  @Test(arguments: selectors.indices)
  func `selectors that nest deep end no process`(_ index: Int) throws {
    #expect(try Self.survives(Self.rule(Self.selectors[index])))
    #expect(try Self.survives(Self.rule(Self.selectors[index]).gzipped))
  }

  private static let valueFunctions = [
    "calc(", "url(", "rgb(", "var(--a,", "min(", "env(a,", "blur(", "attr(a,", "(", "a(",
  ]

  private static let values: [String] = valueFunctions.map { nested($0, "1px") } + otherValues

  private static let otherValues: [String] = [
    nested("[", "1", "]"), nested("{", "1", "}"), repeated("("), repeated("\"(\""), repeated("/**/("),
  ]

  @Test(arguments: values.indices)
  func `values that nest deep end no process`(_ index: Int) throws {
    let value = Self.values[index]
    for property in ["fill", "stroke-dasharray", "filter", "transform", "font-family", "width", "mask", "d", "points"] {
      let escaped = value.replacing("\"", with: "&quot;")
      let file = Self.document(
        "<style>rect{\(property):\(value)}</style><rect \(property)='\(escaped)' style='\(property):\(escaped)'/>")
      #expect(try Self.survives(file), "\(property)")
    }
  }

  private static let blocks = [
    "@media all", "@supports (a:b)", "@layer a", "@container (width>1px)", "@keyframes a", "rect", "rect{&",
  ]
  private static let elements = [
    "g", "a", "svg", "switch", "text", "tspan", "defs", "symbol", "mask", "pattern", "marker", "clipPath", "filter",
    "style", "foreignObject", "use", "i:x",
  ]
  private static let properties = (0..<2000).map { "--c\($0):((((var(--c\($0 + 1)))));" }.joined()
  private static let entities = (1..<20_000).map { "<!ENTITY e\($0) '&e\($0 - 1);'>" }.joined()

  private static let documents: [Data] =
    blocks.map { document("<style>\(nested($0 + "{", "rect{fill:red}", "}"))</style>") }
    + elements.map { document(nested("<\($0)>", "x", "</\($0)>")) } + otherDocuments

  private static let otherDocuments: [Data] = [
    document("<text>\(nested("<tspan>", "a", "</tspan>"))</text>"), document(repeated("<g>")),
    document("<style>@supports \(nested("(", "a:b")){rect{fill:red}}</style>"),
    document("<style>:root{\(properties)}</style><rect style='fill:var(--c0)'/>"),
    document("", head: "<!DOCTYPE svg [<!ELEMENT a \(nested("(", "b"))>]>"),
    document("", head: "<!DOCTYPE svg [<!ENTITY e0 'x'>\(entities)]>"),
    document("<path d='\(repeated("M1 1z"))' transform='\(repeated("scale(1)"))'/>"),
  ]

  @Test(arguments: documents.indices)
  func `rules, elements and declarations that nest deep end no process`(_ index: Int) throws {
    #expect(try Self.survives(Self.documents[index]))
  }

  /// Each element refers to the next one: N is its number, M the next.
  @Test(arguments: [
    ("<use id='aN' href='#aM'/>", ""), ("<g id='aN'><use href='#aM'/></g>", ""),
    ("<symbol id='aN'><use href='#aM'/></symbol>", ""), ("<svg id='aN'><use href='#aM'/></svg>", ""),
    ("<switch id='aN'><use href='#aM'/></switch>", ""), ("<a id='aN'><use href='#aM'/></a>", ""),
    ("<mask id='aN' mask='url(#aM)'><rect width='9' height='9'/></mask>", "mask='url(#a0)'"),
    ("<mask id='aN'><rect width='9' height='9' mask='url(#aM)'/></mask>", "mask='url(#a0)'"),
    ("<clipPath id='aN' clip-path='url(#aM)'><rect/></clipPath>", "clip-path='url(#a0)'"),
    ("<clipPath id='aN'><text clip-path='url(#aM)'>a</text></clipPath>", "clip-path='url(#a0)'"),
    ("<pattern id='aN' width='1' height='1'><rect width='9' height='9' fill='url(#aM)'/></pattern>", "fill='url(#a0)'"),
    ("<pattern id='aN' width='1' height='1'><text fill='url(#aM)'>a</text></pattern>", "fill='url(#a0)'"),
    ("<pattern id='aN' href='#aM'/>", "fill='url(#a0)'"), ("<linearGradient id='aN' href='#aM'/>", "fill='url(#a0)'"),
    ("<radialGradient id='aN' href='#aM'/>", "stroke='url(#a0)'"),
    ("<filter id='fN'><feImage href='#aM'/></filter><rect id='aN' width='9' height='9' filter='url(#fN)'/>", ""),
    ("<marker id='aN'><path d='M1 1L5 5' marker-start='url(#aM)'/></marker>", "marker-start='url(#a0)'"),
    ("<text id='aN'><tref href='#aM'/></text>", ""),
  ])
  func `chains of references end no process`(_ link: String, _ start: String) throws {
    let chain = (0..<20_000).map { link.replacing("N", with: "\($0)").replacing("M", with: "\($0 + 1)") }.joined()
    for content in ["<path d='M0 0H9V9z' \(start)/><use href='#a0'/>", "<text \(start)>a</text>"] {
      #expect(try Self.survives(Self.document(chain + content)))
    }
  }

  @Test func `selectors and values have at most 16 levels of brackets`() throws {
    func image(_ count: Int, _ value: String) throws -> DecodedImage {
      let selector = String(repeating: ":not(", count: count) + "rect" + String(repeating: ")", count: count)
      let content = "<style>\(selector){fill:green}</style><rect width='20' height='20' stroke='\(value)'/>"
      return try SVGDecoder().decode(Self.document(content), options: DecodingOptions())
    }
    let drawn = try image(16, "none")
    #expect(drawn.bitmap.color(10, 10) == Color(0, 128, 0, 255) && drawn.info.droppedContent.isEmpty)
    #expect(try image(18, "none").bitmap.color(10, 10) == Color(0, 0, 0, 255))
    #expect(try image(18, "none").info.droppedContent == [.svgFeatures])
    let value = String(repeating: "(", count: 17) + String(repeating: ")", count: 17)
    #expect(try image(16, value).info.droppedContent == [.svgFeatures])
  }

  /// Pango's time grows with the square of the length of a line.
  @Test func `a long line of small letters is refused by the time that it takes`() throws {
    for text in [Self.repeated("a", 100_000), Self.repeated("\u{0E01}\u{0E33}", 10_000), Self.repeated("(", 50_000)] {
      #expect(try Self.survives(Self.document("<text font-size='1' y='9'>\(text)</text>")))
    }
    #expect(try Self.survives(Self.document("<text font-size='9' y='9'>\(Self.repeated("lorem ipsum ", 80))</text>")))
  }

  /// libxml2 compares each value with all others.
  @Test func `a list of values in a document type is limited`() throws {
    for type in ["", "NOTATION "] {
      let values = (0..<300_000).map { "x\($0)" }.joined(separator: "|")
      let head = "<!DOCTYPE svg [<!ATTLIST g a \(type)(\(values)) 'x1'>]>"
      #expect(try Self.survives(Self.document("", head: head)))
    }
  }
}
#endif
