#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// What is estimated and checked before a document is drawn; nothing is drawn here.
@Suite(.unitTest)
struct SVGEstimateTests {
  private static func checked(_ content: String, side: Int, viewBox: String) throws -> (tree: SVGTree, units: Double) {
    let text = "<svg xmlns='http://www.w3.org/2000/svg' width='\(side)' height='\(side)'\(viewBox)>\(content)</svg>"
    let file = Data(text.utf8)
    let drawing = try SVGDecoder().drawing(of: file, options: DecodingOptions())
    var budget = SVGBudget()
    let elements = try file.withUnsafeBytes { try SVGParser.elements(of: $0) }
    let tree = try SVGSanitizer.tree(of: elements, drawing: drawing, &budget)
    try SVGCost.check(tree, drawing: drawing, &budget)
    return (tree, budget.units)
  }

  /// The units of a drawing with 100 user units a side.
  private static func units(_ content: String, side: Int = 100, viewBox: String = " viewBox='0 0 100 100'") throws
    -> Double
  {
    try checked(content, side: side, viewBox: viewBox).units
  }

  private static let (square, hidden) = ("<rect width='10' height='10'/>", "<rect width='10' height='10' fill='none'/>")

  private static func stroked(_ attributes: String) -> String {
    "<rect width='10' height='10' fill='none' stroke='red' \(attributes)/>"
  }

  private static func painted(_ server: String, _ attributes: String) -> String {
    "<\(server) id='s' \(attributes)/><rect width='10' height='10' fill='url(#s)'/>"
  }

  private static func marked(_ attributes: String, _ path: String = "marker-start='url(#m)' d='M0 0'") -> String {
    "<marker id='m' \(attributes)>\(square)</marker><path fill='none' \(path)/>"
  }

  private static func patterned(_ attributes: String, _ content: String = square) -> String {
    "<pattern id='p' \(attributes)>\(content)</pattern><rect width='10' height='10' fill='url(#p)'/>"
  }

  private static func filtered(_ primitive: String, _ attributes: String = "") -> String {
    "<filter id='f' \(attributes)>\(primitive)</filter><rect width='10' height='10' fill='none' filter='url(#f)'/>"
  }

  /// What drawings of 200 pixels a side take more than those of 100, which have 30,000 pixels less: by hand, from the
  /// lengths and areas in pixels. A square of ten units has 40 units of edges, each 100 for a pixel, and 100 square units,
  /// each 1/2 for a pixel: 4000 and 3 · 100 / 2.
  private static let growths: [(content: String, units: Double)] = [
    (square, 4150), (hidden, 0), ("<g fill='none'>\(square)</g>", 0), ("<defs>\(square)</defs>", 0),
    ("<g fill='none'><rect width='10' height='10' fill='red'/></g>", 4150), ("<rect width='10' height='20'/>", 6300),
    ("<rect width='1em' height='10'/>", 5440), ("<rect width='10%' height='10'/>", 4150),
    ("<circle r='5'/>", 4150), ("<ellipse rx='5' ry='4'/>", 4150), ("<ellipse rx='4' ry='5'/>", 4150),
    ("<polygon points='0 0 10 0'/>", 1000), ("<path d='M0 0H10'/>", 1000),
    // A rule may apply or not; what an element itself states does.
    ("<style>rect{fill:none}</style>\(square)", 0),
    ("<style>.z{fill:none}</style><g fill='red'><rect class='z' width='10' height='10'/></g>", 4150),
    ("<g fill='red'>\(hidden)</g>", 0), ("<g fill='red'><rect width='10' height='10' fill='NONE'/></g>", 4150),
    ("<g fill='none'><rect width='10' height='10' fill='#123'/></g>", 4150),
    ("<g fill='none'><rect width='10' height='10' style='fill:#123456'/></g>", 4150),
    // Layers are not inherited, except where an element says so.
    ("<g opacity='.5'>\(square)</g>", 34_150), ("<g filter='blur(1px)'>\(square)</g>", 3_634_150),
    ("<g filter='blur(1px)'><g filter='inherit'/></g>", 7_260_000),
    // A line that is as long is not filled, its stroke has one edge, and an area of 10 units by a pixel and one more.
    ("<line x2='10'/>", 0), ("<line x2='10' stroke='red'/>", 1020), ("<line x2='10px' stroke='red'/>", 1020),
    ("<path d='M0 0H10' fill='none' stroke='red'/>", 2020),
    // The edges of a stroke are twice as long.
    (stroked(""), 8080), (stroked("stroke-width='.5'"), 8080), (stroked("stroke-width='4'"), 8260),
    ("<g stroke-width='4'>\(stroked(""))</g>", 8260), (stroked("stroke-width='19'"), 9160),
    // A stroke wider than the shape may cover everything.
    (stroked("stroke-width='20'"), 23_000),
    // Eight dashes of 200 for each pixel of their width.
    (stroked("stroke-dasharray='2 3'"), 9680), (stroked("stroke-dasharray='2,3,2,3'"), 9680),
    (stroked("stroke-dasharray='2.5'"), 9680), (stroked("stroke-dasharray='none'"), 8080),
    (stroked("stroke-dasharray='0 0'"), 8080), (stroked("stroke-dasharray='2 3' stroke-linecap='butt'"), 9680),
    (
      "<g stroke-linecap='Round'>\(stroked("stroke-dasharray='2 3'"))</g>",
      19_232.9004
    ),
    // Gradients take 7 or 13 for each pixel.
    (painted("linearGradient", ""), 6250), (painted("radialGradient", ""), 8050),
    ("<g stroke='url(#s)'>\(painted("linearGradient", ""))</g>", 15_450),
    ("<linearGradient id='s'/><g fill='url(#s)'><rect width='10' height='10' fill='#12'/></g>", 6250),
    // Markers are as large as the stroke is wide, and counted once more.
    (marked(""), 8300), (marked("", "stroke-width='3' marker-start='url(#m)' d='M0 0'"), 26_700),
    (marked("markerUnits='userSpaceOnUse'", "stroke-width='3' marker-start='url(#m)' d='M0 0'"), 8300),
    (marked("", "marker-end='url(#m)' d='M0 0L0 0'"), 8300),
    (marked("", "marker-mid='url(#m)' d='M0 0L0 0'"), 20_750),
    (marked("", "style='marker:url(#m)' d='M0 0'"), 12_450), (marked("viewBox='0 0 1 1'"), 26_700),
    (marked("viewBox='0 0 3 3'"), 8300), (marked("viewBox='0 0 1 1' markerHeight='2' markerWidth='1'"), 17_200),
    // A pattern has tiles of 25 units, each 60 and 4500 for the shorter side, and draws its square once.
    (patterned("width='5' height='5' patternUnits='userSpaceOnUse'"), 116_600),
    (patterned("width='.5' height='50%'"), 116_600),
    (patterned("width='5' height='5' patternUnits='userSpaceOnUse'", ""), 112_450),
    (
      patterned("width='.5' height='.5' patternContentUnits='objectBoundingBox'"),
      167_450
    ),
    (patterned("width='.5' height='.5' viewBox='0 0 5 5'"), 116_600),
    (patterned("width='.5' height='.5' patternTransform='scale(2)'"), 76_950),
    (patterned("width='5' height='0' patternUnits='userSpaceOnUse'"), 4150),
    (
      "<pattern id='q' width='.5' height='.5'>\(square)</pattern>" + patterned("href='#q'", ""),
      116_600
    ),
    // What lies over the canvas counts no more than the canvas.
    ("<rect width='999' height='0'/>", 40_000), ("<rect width='200' height='200'/>", 55_000),
    // Transforms and view boxes enlarge.
    ("<g transform='scale(2)'>\(square)</g>", 8600), ("<g transform='rotate(30)'>\(square)</g>", 4150),
    ("<g style='transform:scale(2)'>\(square)</g>", 8600),
    ("<svg viewBox='0 0 50 100' width='100' height='100'>\(square)</svg>", 8600),
    ("<symbol id='y'>\(square)</symbol><use href='#y'/>", 4150), ("<use href='#none'/>", 0),
    ("<defs><g id='y'>\(square)</g></defs><use href='#y'/><use href='#y'/>", 8300),
    ("<g id='y'>\(square)<use href='#y'/></g>", 4150),
    // Two letters take 500 for each pixel of their height, and an area of 16 units by 16.
    ("<text>ab</text>", 16_768), ("<text fill='none'>ab</text>", 16_000),
    ("<text fill='none' font-size='20'>ab</text>", 20_000), ("<text fill='none' letter-spacing='4'>ab</text>", 20_000),
    ("<text fill='none'><tspan>ab</tspan></text>", 16_000), ("<text fill='none' stroke='red'>ab</text>", 16_768),
    ("<g fill='none'><text id='t'>ab</text></g><g fill='none'><text><tref href='#t'/></text></g>", 32_000),
    // Images take 9 for each pixel, of the whole canvas if their size is not known.
    ("<image width='10' height='10'/>", 2700), ("<image width='10'/>", 270_000),
    // Layers.
    ("<g opacity='.5'/>", 30_000), ("<g opacity='1'/>", 0), ("<g style='opacity:50%'/>", 30_000),
    ("<g style='mix-blend-mode:multiply'/>", 360_000), ("<g style='mix-blend-mode:normal'/>", 30_000),
    ("<g style='isolation:isolate'/>", 30_000),
    ("<mask id='k'>\(square)</mask><g mask='url(#k)'/>", 334_150), ("<g mask='url(#none)'/>", 0),
    ("<clipPath id='k'>\(square)</clipPath><g clip-path='url(#k)'/>", 4150),
    ("<style>clipPath{opacity:.5}</style><clipPath id='k'>\(square)</clipPath><g clip-path='url(#k)'/>", 34_150),
    (
      "<clipPath id='k' clipPathUnits='objectBoundingBox'>\(square)</clipPath>"
        + "<rect width='2' height='1' fill='none' clip-path='url(#k)'/>", 38_600
    ),
    (
      "<mask id='k' maskContentUnits='objectBoundingBox'>\(square)</mask>"
        + "<rect width='1' height='2' fill='none' mask='url(#k)'/>", 338_600
    ),
    // What a mask inherits comes from its own parents.
    ("<g fill='none'><mask id='k'>\(square)</mask></g><g mask='url(#k)'/>", 330_000),
    ("<mask id='k'>\(square)</mask><g fill='none' mask='url(#k)'/>", 334_150),
    // Functions of filters take 120 for each pixel of the canvas, and a layer.
    ("<g filter='blur(1px)'/>", 3_630_000), ("<g filter='blur(1px) sepia(1)'/>", 7_230_000),
    ("<g filter='none'/>", 0),
    // Two primitives, and one whose work depends on the pixels.
    (filtered("<feFlood/><feFlood/>"), 639_600), (filtered("<feMorphology radius='2'/>"), 693_264),
  ]

  @Test func `the text size of the root is that of rem`() throws {
    let root = " viewBox='0 0 100 100' font-size='20'"
    let relative = try Self.units("<text font-size='2rem'>Ag</text>", viewBox: root)
    let absolute = try Self.units("<text font-size='40px'>Ag</text>", viewBox: root)
    #expect(relative == absolute)
  }

  @Test(arguments: growths.indices)
  func `the work grows with the pixels`(_ index: Int) throws {
    let (content, expected) = Self.growths[index]
    let growth = try Self.units(content, side: 200) - Self.units(content)
    #expect(abs(growth - expected) < 0.01, "\(content): \(growth)")
  }

  /// Primitives, attributes of their filter, and their work for each pixel that they change.
  private static let primitives: [(primitive: String, attributes: String, work: Double)] = [
    ("<feFlood/>", "", 10), ("<feOffset/>", "", 10), ("<feTile/>", "", 10), ("<feComposite/>", "", 50),
    ("<feTurbulence/>", "", 190), ("<feTurbulence numOctaves='3'/>", "", 310), ("<feDisplacementMap/>", "", 800),
    ("<feGaussianBlur/>", "", 120), ("<feDropShadow/>", "", 120), ("<feDiffuseLighting/>", "", 80),
    ("<feSpecularLighting/>", "", 80), ("<feMerge><feMergeNode/><feMergeNode/></feMerge>", "", 60),
    ("<feConvolveMatrix order='1 2' kernelMatrix='1 1'/>", "", 94),
    ("<feConvolveMatrix kernelMatrix='1 1 1 1 1 1 1 1 1'/>", "", 124),
    // Six for each of 22 pixels a side.
    ("<feMorphology radius='99'/>", "", 2904),
    ("<feMorphology radius='.1'/>", "primitiveUnits='objectBoundingBox'", 2904),
  ]

  /// It takes 10 for each pixel of the canvas, and changes 1.2 · 10 units with a pixel at each side: 26² - 14² = 480. The
  /// element is a layer.
  @Test(arguments: primitives.indices)
  func `a primitive of a filter takes time for the pixels that it changes`(_ index: Int) throws {
    let (primitive, attributes, work) = Self.primitives[index]
    let content = Self.filtered(primitive, attributes)
    let growth = try Self.units(content, side: 200) - Self.units(content)
    #expect(abs(growth - 330_000 - 480 * work) < 0.01, "\(content): \(growth)")
  }

  /// The pixels that a flood changes more in a drawing of 200 pixels a side than in one of 100.
  @Test(arguments: [
    ("width='20' height='20' filterUnits='userSpaceOnUse'", 1280), ("width='2' height='200%'", 1280),
    ("width='2.0' height='120%'", 784), ("width='999'  height='999'", 30_000),
  ])
  func `a filter changes its region`(_ attributes: String, _ pixels: Double) throws {
    let content = Self.filtered("<feFlood/>", attributes)
    let growth = try Self.units(content, side: 200) - Self.units(content)
    #expect(abs(growth - 330_000 - 10 * pixels) < 0.01, "\(growth)")
  }

  /// Two contents with as many bytes, and what the first one takes more.
  private static let differences: [(content: String, other: String, units: Double)] = [
    // A number of a path; an element, with its visit.
    ("<path d='M0 0H0H0'/>", "<path d='M0 0H0  '/>", 400), ("<g/><g/><g/>", "<g></g><g/>", 5500),
    ("<line x1='1'/>", "<line a1='1'/>", 0),
    // A pattern on whole pixels takes 2 for each, others 60 and 4500 for the shorter side of a tile.
    (
      patterned("width='5' height='5' patternUnits='userSpaceOnUse' x='.5'", ""),
      patterned("width='5' height='5' patternUnits='userSpaceOnUse' x='10'", ""), 95_800
    ),
    (
      patterned("width='5' height='5' patternUnits='userSpaceOnUse' patternTransform=''", ""),
      patterned("width='5' height='5' patternUnits='userSpaceOnUse' atternTransformx=''", ""), 95_800
    ),
    (
      patterned("width='.5' height='.5' patternUnits='objectBoundingBox'", ""),
      patterned("width='05' height='05' patternUnits='userSpaceOnUse'   ", ""), 96_550
    ),
  ]

  @Test(arguments: differences.indices)
  func `the work does not only grow with the pixels`(_ index: Int) throws {
    let (content, other, expected) = Self.differences[index]
    let difference = try Self.units(content, viewBox: "") - Self.units(other, viewBox: "")
    #expect(abs(difference - expected) < 0.01, "\(content): \(difference)")
  }

  /// Selectors that match nothing, in a document of twelve elements of which none is deeper than 2.
  @Test(arguments: [
    (".q", 10), (".q .r", 145), (".q>.r", 145), (".q+.r", 205), (".q~.r", 205), (".q .r .s", 280),
    (".q .r .s .t .u", 430), (".q+.r .s", 400), (".q,.r", 20), (".q[a~=b]", 40), (".q:not(a b)", 55),
  ])
  func `selectors take time for each element`(_ selector: String, _ expected: Int) throws {
    let groups = String(repeating: "<g/>", count: 10)
    let empty = try Self.units("<style> </style>\(groups)")
    // Five for each byte, and 60 for each step: the depth for each ancestor, a quarter of the elements for each sibling.
    #expect(try Self.units("<style>\(selector){a:b}</style>\(groups)") - empty == Double(12 * expected))
  }

  /// The numbers, the length, and the left, upper, right and lower side.
  @Test(
    arguments: [
      ("M1 2L4 6", 4, 5, [1, 2, 4, 6]), ("m1 2l3 4", 4, 5, [1, 2, 4, 6]), ("M1 2 4 6", 4, 5, [1, 2, 4, 6]),
      ("m1 2 3 4 3 0", 6, 8, [1, 2, 7, 6]), ("M1 1H5V4", 4, 7, [1, 1, 5, 4]), ("M1 1h5v4", 4, 9, [1, 1, 6, 5]),
      ("M1 1h3v4z", 4, 12, [1, 1, 4, 5]), ("M1 1h3v4zh1", 5, 13, [1, 1, 4, 5]), ("M1 1H3M9 9H8", 6, 3, [1, 1, 9, 9]),
      // The hull of the control points, and those that a following command may reflect.
      ("M0 0C0 3 4 3 4 0", 8, 10, [0, -3, 8, 3]), ("M1 1c0 3 4 3 4 0", 8, 10, [1, -2, 9, 4]),
      ("M0 0Q3 4 6 0", 6, 10, [0, -4, 9, 4]), ("M0 0Q3 4 6 0T12 0", 8, 20, [0, -4, 12, 4]),
      ("M0 0S3 4 6 0", 6, 10, [0, -4, 9, 4]), ("M0 0T3 4", 4, 5, [0, 0, 3, 4]),
      // Twice the larger radius around the end of an arc.
      ("M0 0A5 5 0 0 1 10 0", 9, 0, [-10, -20, 30, 20]), ("M0 0A5 9 0 0110 0", 9, 0, [-10, -20, 30, 20]),
      ("M0 0A5 5 0 2 1 10 0", 2, 0, [0, 0, 0, 0]), ("M1 1L5 5X7 7", 4, 5.6568, [1, 1, 5, 5]),
      ("L9 9", 2, 12.7279, [9, 9, 9, 9]),
      ("M1 1L5", 2, 0, [1, 1, 1, 1]), ("M1,1-3+4.5.5", 4, 5.3150, [-3, 1, 1, 4.5]),
      ("M1e1 1E-1L1em", 2, 0, [10, 0.1, 10, 0.1]),
    ] as [(String, Int, Double, [Double])])
  func `a path is measured from its commands`(_ path: String, _ numbers: Int, _ length: Double, _ box: [Double]) {
    let extent = SVGPathExtent(path: path)
    #expect(extent.numberCount == numbers)
    if length > 0 { #expect(abs(extent.length - length) < 0.001, "\(extent.length)") }
    #expect([extent.box.start.x, extent.box.start.y, extent.box.end.x, extent.box.end.y] == box)
  }

  @Test(arguments: [
    ("M0 0H10V10H0z", 1), ("M0 0H10V10H0", 1), ("M0 0H10L0 10z", 0.5), ("M0 0H10V10H0zM2 2V8H8V2z", 0.64),
    ("M0 0H10V10H0zM2 2H8V8H2z", 1), ("M0 0H4V10H0zM6 0H10V10H6z", 0.8), ("M0 0H10", 1),
    ("M0 0C0 10 10 10 10 0z", 0.15),
  ])
  func `a fill covers a part of the box of its path`(_ path: String, _ share: Double) {
    #expect(abs(SVGPathExtent(path: path).coverage - share) < 0.06, "\(SVGPathExtent(path: path).coverage)")
  }

  @Test func `crossings are estimated`() {
    // Each of the 50 lines to the right crosses each of the 50 lines down.
    let across = (1...50).map { "M0 \($0)H60" }.joined()
    let grid = SVGPathExtent(path: across + (1...50).map { "M\($0) 0V60" }.joined())
    #expect((1500...3500).contains(grid.crossingCount), "\(grid.crossingCount)")
    #expect(SVGPathExtent(path: across).crossingCount == 0)
  }

  /// The elements as librsvg gets them.
  private static let elements: [(content: String, checked: String)] = [
    ("<a href='#b'/>", "<a></a>"), ("<use href='#b'/>", "<use xlink:href=\"#b\"></use>"),
    ("<use href='b#b'/>", "<use></use>"),
    ("<image href='#b'/>", "<image></image>"), ("<path path='1' d='M1 1'/>", "<path d=\"M1 1\"></path>"),
    ("<feBlend kernelUnitLength='1' in='a'/>", "<feBlend in=\"a\"></feBlend>"),
    ("<feTurbulence numOctaves='-3'/>", "<feTurbulence numOctaves=\"0\"></feTurbulence>"),
    ("<feTurbulence numOctaves='2.7'/>", "<feTurbulence numOctaves=\"2\"></feTurbulence>"),
    ("<feTurbulence numOctaves='32'/>", "<feTurbulence numOctaves=\"32\"></feTurbulence>"),
    ("<feTurbulence numOctaves='x'/>", "<feTurbulence></feTurbulence>"),
    ("<mask maskUnits=' OBJECTBoundingBox 1'/>", "<mask maskUnits=\"objectBoundingBox\"></mask>"),
    ("<mask maskUnits='userspaceonuse'/>", "<mask maskUnits=\"userSpaceOnUse\"></mask>"),
    ("<mask maskUnits='user'/>", "<mask></mask>"), ("<g id='a'/><g id='a'/>", "<g id=\"a\"></g><g></g>"),
    ("<feTile in='a'/>", "<feOffset in=\"a\"></feOffset>"), ("<svg viewBox='0 0 0 5'><g/></svg>", "<svg></svg>"),
    ("<svg viewBox='0 0 5 0'><g/></svg>", "<svg></svg>"),
    ("<svg viewBox='0 0 5 5'><g/></svg>", "<svg viewBox=\"0 0 5 5\"><g></g></svg>"),
    ("<svg viewBox='0 0 0'><g/></svg>", "<svg viewBox=\"0 0 0\"><g></g></svg>"),
    ("<g fill='url(x)' filter='url(x)' stroke='url(#x)'/>", "<g fill=\"none\" stroke=\"url(#x)\"></g>"),
    ("<g style='fill:url(x);filter:url(x);--b:1;r:2'/>", "<g style=\"fill:none;r:2;\"></g>"),
    (
      "<g transform='scale(2)' transform-origin='3 4'/>",
      "<g transform=\"translate(3.0 4.0) scale(2) translate(-3.0 -4.0)\""
    ),
    ("<g transform='none' transform-origin='3 4'/>", "<g transform=\"none\" transform-origin=\"3 4\"></g>"),
    ("<g transform='scale(2)' transform-origin='3'/>", "<g transform=\"scale(2)\" transform-origin=\"3\"></g>"),
    ("<g transform='scale(2)' transform-origin='3% 4'/>", "<g transform=\"scale(2)\" transform-origin=\"3% 4\"></g>"),
    (
      "<g style='transform:scale(2);transform-origin:3px,4px'/>",
      "transform:translate(3.0px,4.0px) scale(2) translate(-3.0px,-4.0px);"
    ),
    ("<style>:root,*{--b:red}g{fill:var(--b)}</style>", "<style>g{fill:red;}</style>"),
    ("<style>:root{--b:red}svg{--b:red}g{fill:var(--b)}</style>", "<style>g{fill:red;}</style>"),
    ("<style>:root{--b:red}svg{--b:tan}g{fill:var(--b)}</style>", "<style></style>"),
    ("<style>:root,.c{--b:red}g{fill:var(--b)}</style>", "<style></style>"),
    ("<style>g{fill:var(--b,var(--c, tan ))}</style>", "<style>g{fill:tan;}</style>"),
    ("<style>g{fill:var(--b)}</style>", "<style></style>"),
    ("<style>g{fill:xvar(--b)}</style>", "<style>g{fill:xvar(--b);}</style>"),
    ("<style>g{fill:'var(--b)'}</style>", "<style>g{fill:'var(--b)';}</style>"),
    ("<style>:root{--b:(1)}g{r:calc(var(--b) + (2))}</style>", "g{r:calc((1) + (2));}"),
    ("<style type='text/plain'>g{r:1}</style>", "<style type=\"text/plain\"></style>"),
    ("<style type='TEXT/css'>g{r:1}</style>", "<style>g{r:1;}</style>"),
  ]

  @Test(arguments: elements.indices)
  func `elements are checked before librsvg gets them`(_ index: Int) throws {
    let (content, expected) = Self.elements[index]
    let text = try Self.checked(content, side: 100, viewBox: "").tree.text
    #expect(text.contains(expected), "\(text)")
    #expect(expected != "<style></style>" || !text.contains("g{"), "\(text)")
  }

  /// The font size, the width and the height are those of browsers.
  @Test(arguments: [
    ("width='2em' height='50%'", "width=\"32.0\" height=\"50%\" font-size=\"16.0\""),
    ("width='2em' height='50%' font-size='200%'", "width=\"64.0\" height=\"50%\" font-size=\"32.0\""),
    ("width='2em' font-size='small'", "width=\"32.0\" font-size=\"small\""),
    ("width='2rem' style='font-size:1in'", "font-size=\"16.0\" style=\"font-size:96.0px;\""),
  ])
  func `the root element has its size in pixels`(_ attributes: String, _ expected: String) throws {
    let file = Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)/>".utf8)
    var budget = SVGBudget()
    let elements = try file.withUnsafeBytes { try SVGParser.elements(of: $0) }
    let drawing = try SVGDecoder().drawing(of: file, options: DecodingOptions())
    let text = try SVGSanitizer.tree(of: elements, drawing: drawing, &budget).text
    #expect(text.contains(expected), "\(text)")
  }

  @Test(arguments: [
    ("", 1), ("rotate(30) translate(9 9)", 1), ("translateX(9)translateY(9)", 1), ("scale(2)", 2), ("scale(-3 2)", 3),
    ("scaleX(3) scaleY(.5)", 1.5), ("scale()", .infinity), ("matrix(3 4 0 0 99 99)", 5), ("skewX(45)", 2),
    ("skewY(-45)", 2), ("skew(45, 45)", 4), ("skewX(1rad)", .infinity), ("perspective(2)", .infinity),
    ("scale(2", 2),
  ])
  func `a transform enlarges at most by a factor`(_ text: String, _ factor: Double) {
    let enlargement = SVGTransform.enlargement(text)
    #expect(enlargement == factor || abs(enlargement - factor) < 1e-9, "\(enlargement)")
  }

  /// Where a list of transforms moves the point (1, 2).
  @Test(
    arguments: [
      ("", [1, 2]), ("translate(3)", [4, 2]), ("translate(3 4)", [4, 6]), ("scale(3)", [3, 6]),
      ("scale(3, 4)", [3, 8]),
      ("rotate(90)", [-2, 1]), ("rotate(90 1 1)", [0, 1]), ("skewX(45)", [3, 2]), ("skewY(45)", [1, 3]),
      ("matrix(1 2 3 4 5 6)", [12, 16]), ("translate(3) scale(2)", [5, 4]), ("scale(2) translate(3)", [8, 4]),
      ("matrix(1 2 3)", nil), ("scale()", nil), ("skew(1)", nil),
    ] as [(String, [Double]?)])
  func `a list of transforms moves points`(_ text: String, _ expected: [Double]?) {
    let point = SVGTransform(text)?.point(SIMD2(1, 2))
    #expect((point == nil) == (expected == nil))
    for (index, number) in (expected ?? []).enumerated() { #expect(abs((point?[index] ?? 0) - number) < 1e-9) }
  }

  @Test(arguments: [
    ("jpeg/peacock.default.jpeg", "jpeg"), ("jpeg/peacock.made-cmyk.jpeg", "png"), ("color/display-p3.jpeg", "png"),
    ("color/display-p3.png", "png"), ("formats/lossy.webp", "png"),
  ])
  func `librsvg reads a JPEG file in sRGB as it is, and others as PNG`(_ name: String, _ type: String) throws {
    var images = SVGEmbeddedImages(limits: ImageLimits(), canvas: PixelSize(width: 9, height: 9))
    var budget = SVGBudget()
    let url = "data:;base64," + (try Fixture.data(name).base64EncodedString())
    let image = try #require(try images.image(url, shownSize: { $0 }, &budget))
    #expect(image.url.hasPrefix("data:image/\(type);"))
  }
}
#endif
