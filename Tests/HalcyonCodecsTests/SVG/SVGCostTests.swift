#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// Keeps the estimates near the times that were measured with librsvg 2.54, on a core of 2.5 GHz.
///
/// What takes half a second is drawn, what takes forty is refused before it is drawn.
@Suite(.integrationTest, .slow, .fixtureFonts)
struct SVGCostTests {
  struct Kind: CustomTestStringConvertible {
    let testDescription: String
    var head = ""
    /// The element; N stands for its number.
    let element: String
    /// How often the element is drawn in about half a second.
    let drawnCount: Int
    /// How often the element would be drawn in about forty seconds; `nil` if that is more than 100,000 times.
    var refusedCount: Int?
  }

  private static let gradient = """
    <linearGradient id='g' x2='1' y2='1'><stop stop-color='red'/><stop offset='1' stop-opacity='.5'/></linearGradient>
    """
  private static let shadow = """
    <filter id='f'><feGaussianBlur in='SourceAlpha' stdDeviation='3'/><feOffset dx='2'/><feMerge><feMergeNode/>\
    <feMergeNode in='SourceGraphic'/></feMerge></filter>
    """
  /// 3,000 curves of a few pixels.
  private static let curves = (0..<3000).map { index in
    "M\(index * 7 % 990) \(index * 13 % 990)c3 1 5 4 6 9 -2 2 -6 3 -6 -9z"
  }.joined()

  private static let kinds: [Kind] = [
    Kind(
      testDescription: "cards with a shadow", head: shadow,
      element:
        "<g filter='url(#f)'><rect x='9' y='9' width='120' height='80' fill='red'/><text x='9' y='50'>A</text></g>",
      drawnCount: 40, refusedCount: 4000),
    Kind(
      testDescription: "text with a shadow", head: shadow,
      element: "<text filter='url(#f)' x='50' y='500' font-size='60'>Text</text>", drawnCount: 40, refusedCount: 4000),
    Kind(
      testDescription: "displacement",
      head: "<filter id='f'><feDisplacementMap in2='SourceGraphic' scale='9'/></filter>",
      element: "<rect width='700' height='700' filter='url(#f)'/>", drawnCount: 1, refusedCount: 100),
    Kind(
      testDescription: "translucent groups", element: "<g opacity='.5'><circle cx='500' cy='500' r='4'/></g>",
      drawnCount: 1000, refusedCount: 40_000),
    Kind(
      testDescription: "blended groups",
      element: "<g style='mix-blend-mode:multiply'><circle cx='500' cy='500' r='4'/></g>", drawnCount: 50,
      refusedCount: 4000),
    Kind(
      testDescription: "lines", element: "<line x1='N' y1='900' x2='900' y2='1' stroke='red' fill='none'/>",
      drawnCount: 5000),
    Kind(
      testDescription: "large gradients", head: gradient,
      element: "<rect width='1000' height='1000' fill='url(#g)'/>", drawnCount: 80, refusedCount: 6000),
    Kind(
      testDescription: "outlines with a gradient", head: gradient,
      element: "<path fill='url(#g)' d='M1 1H999V999H1zM5 5V995H995V5z'/>", drawnCount: 600),
    Kind(
      testDescription: "strokes with a gradient", head: gradient,
      element: "<path stroke='url(#g)' stroke-width='700' d='M0 500H999V501'/>", drawnCount: 80, refusedCount: 8000),
    Kind(
      testDescription: "turned patterns",
      head: "<pattern id='p' width='10' height='10' patternUnits='userSpaceOnUse' patternTransform='rotate(30)'>"
        + "<rect width='5' height='5'/></pattern>",
      element: "<rect width='1000' height='1000' fill='url(#p)'/>", drawnCount: 1, refusedCount: 80),
    Kind(
      testDescription: "patterns of whole pixels",
      head:
        "<pattern id='p' width='10' height='10' patternUnits='userSpaceOnUse'><rect width='5' height='5'/></pattern>",
      element: "<rect width='1000' height='1000' fill='url(#p)'/>", drawnCount: 200),
    Kind(
      testDescription: "translucent fills", element: "<rect width='1000' height='1000' fill-opacity='.01'/>",
      drawnCount: 1500, refusedCount: 90_000),
    Kind(
      testDescription: "long paths", head: "<defs><path id='p' d='\(curves)'/></defs>", element: "<use href='#p'/>",
      drawnCount: 20, refusedCount: 4000),
    Kind(
      testDescription: "text", element: "<text y='50'>\(String(repeating: "lorem ipsum ", count: 25))</text>",
      drawnCount: 60, refusedCount: 9000),
    Kind(
      testDescription: "rules with descendants",
      head: "<style>\((0..<300).map { "g .d\($0) rect{fill:red}" }.joined())</style>",
      element: "<g><g><g><g><rect width='2' height='2'/></g></g></g></g>", drawnCount: 700, refusedCount: 19_000),
  ]

  /// Whether the drawing is drawn, and not refused because it would take too long.
  private static func isDrawn(_ kind: Kind, count: Int) throws -> Bool {
    let content = (0..<count).map { kind.element.replacing("N", with: "\($0)") }.joined()
    let text = """
      <svg xmlns='http://www.w3.org/2000/svg' width='1000' height='1000'>\(kind.head)\(content)</svg>
      """
    do {
      _ = try SVGDecoder().decode(Data(text.utf8), options: DecodingOptions())
      return true
    } catch ImageDecodingError.unsupportedFeature(.svg, let feature) {
      #expect(feature.contains("take too long to draw on 1000x1000 pixels"))
      return false
    }
  }

  @Test(arguments: kinds)
  func `what takes half a second is drawn, and what takes forty is not`(_ kind: Kind) throws {
    #expect(try Self.isDrawn(kind, count: kind.drawnCount))
    if let count = kind.refusedCount { #expect(try !Self.isDrawn(kind, count: count)) }
  }

  @Test func `a document of megabytes counts for its parser`() throws {
    func file(_ count: Int) -> Data {
      let path = "<path d='\(String(repeating: "M1 1", count: count))'/>"
      return Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>\(path)</svg>".utf8)
    }
    _ = try SVGDecoder().decode(file(200_000), options: DecodingOptions())
    #expect(throws: ImageDecodingError.self) { try SVGDecoder().decode(file(12_000_000), options: DecodingOptions()) }
  }
}
#endif
