#if SVG && !IMAGEIO
import Foundation
@_spi(Programs) import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Numbers, lengths, style sheets and their values, as CSS and SVG define them.
@Suite(.unitTest)
struct SVGValueTests {
  @Test(
    arguments: [
      ("", []), ("1", [1]), ("1 2,3", [1, 2, 3]), ("1-2.5.5", [1, -2.5, 0.5]), ("a1b2", [1, 2]), ("1e2em", [100]),
      ("1e+2", [100]), ("1em2", [1, 2]), ("+.5-.5", [0.5, -0.5]), ("1.2.3", [1.2, 0.3]), ("--1", [-1]), ("1e", [1]),
    ] as [(String, [Double])])
  func `all numbers in a text are found`(_ text: String, _ expected: [Double]) {
    #expect(SVGNumbers.all(in: text) == expected)
  }

  @Test(
    arguments: [
      ("", []), (" 1 ,2\n3 ", [1, 2, 3]), ("1 2px", nil), ("1-2", nil), ("x", nil), ("1e2", [100]),
    ] as [(String, [Double]?)])
  func `a list has nothing but numbers`(_ text: String, _ expected: [Double]?) {
    #expect(SVGNumbers.list(text) == expected)
  }

  /// The number, the unit, and the magnitude in a viewport of 200 units.
  @Test(
    arguments: [
      ("5", 5, "", 5), (" 5PX ", 5, "px", 5), ("-3pt", -3, "pt", 4), ("1pc", 1, "pc", 16), ("-1in", -1, "in", 96),
      ("2.54cm", 2.54, "cm", 96), ("25.4mm", 25.4, "mm", 96), ("101.6q", 101.6, "q", 96), ("-50%", -50, "%", 100),
      ("2em", 2, "em", .infinity), ("1e1em", 10, "em", .infinity), ("3ex", 3, "ex", .infinity), ("1e1", 10, "", 10),
      ("2EM", 2, "em", .infinity), ("", nil, "", .infinity), ("auto", nil, "auto", .infinity),
      ("5 5", 5, " 5", .infinity), ("+.5", 0.5, "", 0.5),
    ] as [(String, Double?, String, Double)])
  func `a length has a number, a unit and a bound`(
    _ text: String, _ number: Double?, _ unit: String, _ length: Double
  ) {
    let (found, foundUnit) = SVGNumbers.split(text)
    #expect(found == number && foundUnit == unit)
    let bound = SVGNumbers.length(text, viewport: 200)
    #expect(bound == length || abs(bound - length) < 1e-9, "\(bound)")
  }

  @Test(
    arguments: [
      ("", true), ("all", true), ("SCREEN", true), ("only screen", true), ("print", false), ("speech", false),
      ("screen and (prefers-color-scheme: light)", true), ("(prefers-color-scheme:dark)", false),
      ("(prefers-reduced-motion: no-preference)", true), ("(prefers-reduced-motion)", false),
      ("(prefers-reduced-motion: reduce)", false), ("print, screen", true), ("print, speech", false),
      ("(min-width: 1px)", nil), ("(min-width: 1px), screen", true), ("(min-width: 1px), print", nil),
      ("print and (min-width: 1px)", false), ("screen and (min-width: 1px)", nil), ("not screen", nil),
      ("screen,", true),
    ] as [(String, Bool?)])
  func `a media query applies, does not, or is not known`(_ query: String, _ applies: Bool?) {
    #expect(SVGMediaQuery.applies(query) == applies)
  }

  @Test(arguments: [
    ("fill:red", "fill:red;"), (" Fill : Red ;;stroke:b", "fill:Red;stroke:b;"), ("--Aa:1;a1:2;:3;a", "--Aa:1;"),
    ("a:';';b:2", "a:';';b:2;"), ("a:url(;);b:2", "a:url(;);b:2;"), ("a:[;];b:2", "a:[;];b:2;"), ("a:(1;b:2", ""),
    ("a:1;b:');c:3", "a:1;"), ("a:1);b:2", ""), ("a:{};b:2", "b:2;"), ("a:\\;b;c:1", "a:\\;b;c:1;"),
    ("a:'\\';';b:2", "a:'\\';';b:2;"), ("a:'\n';b:2", ""), ("a:(]);b:2", ""), ("a:b:c", "a:b:c;"),
  ])
  func `declarations end at semicolons outside strings and brackets`(_ text: String, _ expected: String) {
    #expect(SVGDeclaration.list(Array(text.utf8)).map(\.text).joined() == expected)
  }

  @Test(arguments: [
    ("a/*b*/c", "a c"), ("'/*'*/", "'/*'*/"), ("a/*b", "a "), ("<!--a-->b", " a b"), ("\"-->\"", "\"-->\""),
    ("\\/*a*/", "\\/*a*/"), ("/**/", " "), ("/<!--*a*/", "/ *a*/"), ("'a", "'a"), ("/*'*/'", " '"),
  ])
  func `comments become spaces`(_ text: String, _ expected: String) {
    #expect(String(decoding: SVGStyleScanner.withoutComments(text), as: UTF8.self) == expected)
  }

  @Test(arguments: [
    ("a,b", ["a", "b"]), ("a(b,c),d", ["a(b,c)", "d"]), ("[a,b],c", ["[a,b]", "c"]), ("", [""]),
    ("a,,b", ["a", "", "b"]),
  ])
  func `a list is split outside brackets`(_ text: String, _ expected: [String]) {
    #expect(SVGStyleScanner.list(text) == expected)
  }

  /// What opens before the seventeenth level, and is closed, or not, or inside quotes.
  @Test(arguments: [
    (String(repeating: "(", count: 16), false), (String(repeating: "(", count: 17), true),
    (String(repeating: "[", count: 17), true), (String(repeating: "{", count: 17), true),
    (String(repeating: "()", count: 30), false), ("'" + String(repeating: "()", count: 17), true),
    ("\"" + String(repeating: "[]", count: 16), false),
    (String(repeating: ")", count: 9) + String(repeating: "(", count: 17), true),
  ])
  func `brackets are nested at most 16 levels deep`(_ text: String, _ isTooDeep: Bool) {
    #expect(SVGStyleScanner.isTooDeep(text) == isTooDeep)
  }

  @Test(
    arguments: [
      ("red", []), ("url(#a)", ["a"]), ("URL( '#a' ) url(\"#b\")", ["a", "b"]), ("url(#a", nil), ("url(a)", nil),
      ("url('#a)", nil), ("url('#a\")", nil), ("url(#)", nil), ("url(#a b)", nil), ("u\\72l(#a)", nil),
      ("/**/none", nil),
      ("rgb(1,2,3)", []), ("blur(1px) url(#a)", ["a"]), ("url(data:,#a)", nil), ("url(#\u{301}a)", ["\u{301}a"]),
      ("url(", nil),
    ] as [(String, [String]?)])
  func `references are to elements of the document`(_ value: String, _ expected: [String]?) {
    #expect(SVGDeclaration.references(in: value) == expected)
    let isSafe = expected != nil
    #expect(SVGDeclaration(name: "mask", value: value).checked?.value == (isSafe ? value : nil))
    #expect(SVGDeclaration(name: "stroke", value: value).checked?.value == (isSafe ? value : "none"))
  }

  /// The name, the identifier, the classes, the ancestors and siblings of a selector, and whether it is the root.
  @Test(
    arguments: [
      ("rect", "rect - - 0 0 false"), ("RECT", "rect - - 0 0 false"), ("*", "- - - 0 0 true"),
      ("svg", "svg - - 0 0 true"),
      (":root", "- - - 0 0 true"), (".a.b#c", "- c a,b 0 0 false"), ("g.a > rect#b", "rect b - 1 0 false"),
      ("g rect .a", "- - a 2 0 false"), ("a+b~c", "c - - 0 2 false"), ("a > b + c", "c - - 1 1 false"),
      ("rect[a='b c']", "rect - - 0 0 false"), ("rect:not(g > a)", "rect - - 0 0 false"), ("*.a", "- - a 0 0 false"),
      ("svg|rect.a", "- - - 0 0 false"), (" a\n b ", "b - - 1 0 false"), ("svg a", "a - - 1 0 false"),
      ("", nil), ("a >", nil), ("a{", nil), ("a)", nil), ("a(", nil), ("a]", nil), ("a;b", nil), ("@a", nil),
    ] as [(String, String?)])
  func `a selector says which elements it can match`(_ text: String, _ expected: String?) {
    let selector = SVGSelector(Substring(text))
    let found = selector.map { selector in
      let classes = selector.classes.joined(separator: ",")
      return "\(selector.name ?? "-") \(selector.identifier ?? "-") \(classes.isEmpty ? "-" : classes) "
        + "\(selector.ancestorCount) \(selector.siblingCount) \(selector.isRoot)"
    }
    #expect(found == expected)
  }

  /// Rules, and whether something is left out.
  @Test(arguments: [
    ("a{b:c}", "a{b:c;}", false), ("a{b:c} d { e : f }", "a{b:c;}d{e:f;}", false), ("a{}", "", false),
    ("@media print{a{b:c}}d{e:f}", "d{e:f;}", false), ("@media screen{a{b:c}}", "a{b:c;}", false),
    ("@media (x){a{b:c}}", "", true), ("@import 'x';a{b:c}", "a{b:c;}", false),
    ("@charset 'x';a{b:c}", "a{b:c;}", false),
    ("@font-face{src:x}a{b:c}", "a{b:c;}", true), ("@media all{@media all{@media all{a{b:c}}}}", "a{b:c;}", false),
    ("@media all{@media all{@media all{@media all{a{b:c}}}}}", "", true), ("a{b:c}}d{e:f}", "a{b:c;}", false),
    ("a{b:c;d{e:f}}", "a{b:c;}", true), (":is(a){b:c}", ":is(a){b:c;}", true), ("a;b{c:d}", "", true),
    ("a,b{c:d}", "a,b{c:d;}", false), ("a,{c:d}", "", true), ("a{b:c", "a{b:c;}", false),
    ("@media all;a{b:c}", "a{b:c;}", true),
  ])
  func `a style sheet has the rules that are understood`(_ text: String, _ expected: String, _ isDropped: Bool) {
    var sheet = SVGStyleSheet()
    sheet.add(text, media: nil)
    #expect(sheet.rules.map(\.text).joined() == expected)
    #expect(sheet.droppedContent == (isDropped ? [.svgFeatures] : []))
  }

  @Test(arguments: [(nil, true), ("screen", true), ("print", false)] as [(String?, Bool)])
  func `a style sheet is for its media`(_ media: String?, _ applies: Bool) {
    var sheet = SVGStyleSheet()
    sheet.add("a{b:c}", media: media)
    #expect(sheet.rules.isEmpty != applies && sheet.droppedContent.isEmpty)
  }

  @Test(
    arguments: [
      ("animation", "a 1s", .frames), ("animation-name", "a", .frames), ("animation", "None", nil),
      ("vector-effect", "none", nil), ("vector-effect", "NONE", nil),
      ("vector-effect", "non-scaling-stroke", .svgFeatures),
      ("d", "none", .svgFeatures), ("fill", "unset", .svgFeatures), ("fill", "Revert", .svgFeatures),
      ("all", "red", .svgFeatures),
      ("mix-blend-mode", "plus-lighter", .svgFeatures), ("background", "url(#a)", .svgFeatures),
      ("background", "red", nil),
      ("fill", "color(red)", .svgFeatures), ("fill", "RGB(1,2,3)", nil), ("filter", "blur(1px)", nil),
      ("width", "calc(1px)", .svgFeatures), ("width", "2rem", .svgFeatures), ("width", "2em", nil),
      ("width", "-2vw", .svgFeatures), ("width", "2vmin", .svgFeatures), ("width", "1.5lh", .svgFeatures),
      ("width", "2 vw", nil), ("fill", "vw", nil), ("x", "'2rem'", nil), ("x", "\"f(\"", nil), ("fill", "#2vw", nil),
      ("font-family", "f(2rem)", nil), ("x", "a.5vh", nil), ("x", ".5vh", .svgFeatures), ("x", "'", nil),
    ] as [(String, String, DroppedContent?)])
  func `a declaration that librsvg does not draw is told`(_ name: String, _ value: String, _ content: DroppedContent?) {
    #expect(SVGFeatures.content(dropped: SVGDeclaration(name: name, value: value)) == content)
  }

  /// The size of letters of the root element with these styles: the largest that any of them may give.
  @Test(arguments: [
    ("", 16), ("font-size='10'", 10), ("font-size='10px'", 10), ("font-size='2em'", 32), ("font-size='50%'", 16),
    ("font-size='.5'", 16),
    ("font-size='3rem'", 48), ("font-size='large'", 32), ("font-size='larger'", 19.2), ("font-size='2in'", 192),
    ("style='font:20px serif'", 20), ("style='font:700 20px/3 serif'", 20), ("style='font:bold 30px x'", 30),
    ("style='font-size:5px'", 5), ("font-size='5' style='font-size:40px'", 40), ("letter-spacing='4'", 20),
    ("letter-spacing='-4'", 20), ("font-size='10' letter-spacing='1em'", 20),
    ("font-size='10' style='letter-spacing:2ex'", 30),
    ("font-size='200%' letter-spacing='10%'", 35.2),
  ])
  func `letters have at most a size`(_ attributes: String, _ letter: Double) throws {
    let file = Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)/>".utf8)
    var tree = SVGTree(elements: try file.withUnsafeBytes { try SVGParser.elements(of: $0) })
    tree.elements[0].style = SVGDeclaration.list(Array((tree.elements[0]["style"] ?? "").utf8))
    let styles = try SVGStyles(tree, properties: Set(SVGTextSize.properties))
    let size = SVGTextSize(of: 0, styles, in: SVGTextSize(), viewport: 100)
    #expect(abs(size.letter - letter) < 1e-9, "\(size.letter)")
    #expect(styles.affects(0) == !attributes.isEmpty)
  }

  @Test(arguments: [
    ("ab", 48, 32), ("", 16, 16), ("a\u{301}\u{301}", 64, 64), ("aaaaaa", 112, 32), ("a\u{301}aaa", 96, 48),
  ])
  func `a run of text has a box`(_ text: String, _ width: Double, _ height: Double) {
    let box = SVGTextSize().box(of: text, isHorizontal: true)
    #expect(box.width == width && box.height == height, "\(box)")
    let column = SVGTextSize().box(of: text, isHorizontal: false)
    #expect(column.width == width && column.height == width)
  }

  /// Pixels of a target, and those of the document, its place, and whether it is on whole pixels.
  @Test(
    arguments: [
      (TargetSize.original, nil, [40, 20], [0, 0, 40, 20], true),
      (.fit(width: 80, height: 80), nil, [80, 40], [0, 0, 80, 40], false),
      (.fit(width: 20, height: 80), nil, [20, 10], [0, 0, 20, 10], false),
      (.fit(width: 20), nil, [20, 10], [0, 0, 20, 10], false),
      (.fill(width: 20, height: 20), nil, [20, 20], [-10, 0, 40, 20], true),
      (.fill(width: 40, height: 40, anchor: .right), nil, [40, 40], [-40, 0, 80, 40], false),
      (.exact(width: 10, height: 40), nil, [10, 40], [0, 0, 10, 40], false),
      (.exact(width: 80, height: 80, enlarges: false), nil, [80, 80], [0, 0, 80, 80], false),
      (.cover(width: 80, height: 80), nil, [160, 80], [0, 0, 160, 80], false),
      (.original, PixelArea(left: 10, top: 5, width: 8, height: 4), [8, 4], [-10, -5, 40, 20], true),
      (
        .fit(width: 16, height: 16), PixelArea(left: 10, top: 5, width: 8, height: 4), [16, 8], [-20, -10, 80, 40],
        false
      ),
    ] as [(TargetSize, PixelArea?, [Int], [Double], Bool)])
  func `a document has a place on its pixels`(
    _ target: TargetSize, _ region: PixelArea?, _ output: [Int], _ viewport: [Double], _ isOnPixels: Bool
  ) throws {
    let size = SVGSize(width: 40, height: 20)
    let layout = try SVGLayout(size: size, target: target, region: region, limits: ImageLimits())
    #expect([layout.outputSize.width, layout.outputSize.height] == output)
    #expect([layout.viewport.x, layout.viewport.y, layout.viewport.width, layout.viewport.height] == viewport)
    #expect(
      layout.canvasSize == PixelSize(width: max(output[0], Int(viewport[2])), height: max(output[1], Int(viewport[3]))))
    #expect(layout.isOnPixels(size) == isOnPixels)
  }
}
#endif
