#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow, .fixtureFonts)
struct HostileSVGTests {
  private static let open = """
    <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
    xmlns:xi='http://www.w3.org/2001/XInclude' width='8' height='8'>
    """

  /// A red PNG and a red SVG in a temporary folder, which must not be loaded.
  private static func decoys() throws -> (folder: URL, png: String, svg: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let red = try Bitmap.painted(8, 8) { _, _ in Color(255, 0, 0, 255) }
    try PNGEncoder().encode(red, options: EncodingOptions()).write(to: folder.appending(path: "red.png"))
    let document = open + "<rect id='r' width='8' height='8' fill='red'/></svg>"
    try Data(document.utf8).write(to: folder.appending(path: "red.svg"))
    return (folder, folder.appending(path: "red.png").path, folder.appending(path: "red.svg").path)
  }

  @Test(arguments: [
    "<image width='8' height='8' xlink:href='file://PNG'/>", "<image width='8' height='8' href='PNG'/>",
    "<image width='8' height='8' href='red.png'/>", "<image width='8' height='8' href='http://127.0.0.1:9/red.png'/>",
    "<use href='file://SVG#r'/>", "<use xlink:href='SVG#r'/>", "<xi:include href='file://SVG'/>",
    "<xi:include href='SVG'/>", "<style>@import url('file://FOLDER/red.css');</style>",
    "<style>@import url('http://127.0.0.1:9/red.css');</style>",
    "<rect width='8' height='8' fill='url(file://SVG#r)'/>",
    "<script>document.documentElement.innerHTML = '&lt;rect width=\\'8\\' height=\\'8\\' fill=\\'red\\'/&gt;'</script>",
  ])
  func `no external resource is loaded and no script is run`(_ content: String) throws {
    let (folder, png, svg) = try Self.decoys()
    defer { try? FileManager.default.removeItem(at: folder) }
    let filled = content.replacing("PNG", with: png).replacing("SVG", with: svg).replacing("FOLDER", with: folder.path)
    let file = Data((Self.open + filled + "</svg>").utf8)
    let clear = try Bitmap.painted(8, 8, isOpaque: false) { _, _ in Color(0, 0, 0, 0) }
    do {
      #expect(try SVGDecoder().decode(file, options: DecodingOptions()).bitmap.largestDifference(to: clear) == 0)
    } catch let error as ImageDecodingError {
      // Rejecting the file is fine, too.
      #expect(error != .cancelled)
    }
  }

  /// librsvg 2.54 ends the process.
  @Test(arguments: ["<feFlood width='0'/><feTile/>", "<feOffset x='900' width='9'/><feTile/>", "<feFlood/><feTile/>"])
  func `tiles outside the drawing do not end the process`(_ primitives: String) throws {
    let text =
      Self.open + "<filter id='f'>\(primitives)</filter><rect width='4' height='4' filter='url(#f)'/>"
      + "<rect x='500' width='4' height='4' filter='url(#f)'/></svg>"
    let image = try SVGDecoder().decode(Data(text.utf8), options: DecodingOptions())
    #expect(image.info.droppedContent == [.svgFeatures])
  }

  @Test(arguments: ["svg/billion-laughs.svg", "svg/external-entity.svg"])
  func `a file with an external entity, or that expands to millions of elements, is rejected`(_ name: String) throws {
    #expect(throws: ImageDecodingError.self) {
      try SVGDecoder().decode(Fixture.data(name), options: DecodingOptions())
    }
  }

  private static func entities(_ declarations: String, _ content: String) -> Data {
    Data(("<!DOCTYPE svg [\(declarations)]>" + open + content + "</svg>").utf8)
  }

  @Test(arguments: [
    ("<!ENTITY a 'lime'>", "<rect width='8' height='8' fill='&a;'/>"),
    // Used before it is declared.
    ("<!ENTITY a '&b;'><!ENTITY b 'li&c;'><!ENTITY c 'me'>", "<rect width='8' height='8' fill='&a;'/>"),
    ("<!ENTITY a \"<rect width='8' height='8' fill='&b;'/>\"><!ENTITY b 'lime'>", "&a;"),
    ("<!ENTITY a '<g>&b;&b;</g>'><!ENTITY b \"<rect width='8' height='8' fill='lime'/>\">", "&a;&a;"),
    ("<!ENTITY a 'rect{&b;}'><!ENTITY b 'fill:lime'>", "<style>&a;</style><rect width='8' height='8'/>"),
    ("<!ENTITY a '&#38;b;'><!ENTITY b 'lime'>", "<rect width='8' height='8' fill='&a;'/>"),
    // More than libxml2 expands by itself.
    (
      "<!ENTITY e0 \"<rect width='8' height='8' fill='lime'/>\">"
        + (1...7).map { "<!ENTITY e\($0) '&e\($0 - 1);&e\($0 - 1);&e\($0 - 1);'>" }.joined(), "&e7;"
    ),
  ])
  func `entities are expanded, those inside others too`(_ declarations: String, _ content: String) throws {
    let image = try SVGDecoder().decode(Self.entities(declarations, content), options: DecodingOptions())
    #expect(image.bitmap.color(4, 4) == Color(0, 255, 0, 255))
  }

  @Test func `elements of entities are drawn where they are referred to`() throws {
    let file = try Fixture.data("cases/svg-nested-entity.svg")
    let bitmap = try SVGDecoder().decode(file, options: DecodingOptions()).bitmap
    for (x, y) in [(10, 10), (30, 10), (10, 30), (30, 30)] { #expect(bitmap.color(x, y) == Color(255, 0, 0, 255)) }
    #expect(bitmap.color(20, 20) == Color(0, 0, 0, 0))
  }

  private static let doubling = (1...40).map { "<!ENTITY e\($0) '&e\($0 - 1);&e\($0 - 1);'>" }.joined()

  @Test(arguments: [
    ("<!ENTITY e0 'x'>" + doubling, "<text>&e40;</text>"), ("<!ENTITY e0 'x'>" + doubling, "<g id='&e40;'/>"),
    ("<!ENTITY e0 ''>" + doubling, "<g id='&e40;'/>"), ("<!ENTITY e0 ''>" + doubling, "&e40;"),
    ("<!ENTITY e0 '<g/>'>" + doubling, "&e40;"), ("<!ENTITY e0 '<foreignObject/>'>" + doubling, "&e40;"),
    ("<!ENTITY e0 'x'>" + doubling, "<i:x xmlns:i='i'>&e40;</i:x>"),
    ("<!ENTITY a ''>", String(repeating: "&a;", count: 400_000)),
    ("<!ENTITY a '\(String(repeating: "x", count: 10_000))'>", String(repeating: "<g id='&a;'/>", count: 200)),
    ("<!ENTITY a '&b;'><!ENTITY b '&a;'>", "&a;"), ("<!ENTITY a '&b;'><!ENTITY b '&a;'>", "<g id='&a;'/>"),
    (
      "<!ENTITY e0 'x'>" + (1...100).map { "<!ENTITY e\($0) '&e\($0 - 1);'>" }.joined(), "&e100;"
    ),
    ("<!ENTITY a '<g \((0..<3000).map { "a\($0)=\"\" " }.joined())/>'>", "&a;"),
  ])
  func `entities that expand to more than a limit are refused`(_ declarations: String, _ content: String) throws {
    do {
      _ = try SVGDecoder().decode(Self.entities(declarations, content), options: DecodingOptions())
      Issue.record("It was drawn.")
    } catch ImageDecodingError.unsupportedFeature(.svg, let feature) {
      #expect(["entities", "attributes"].contains { feature.contains($0) }, "\(feature)")
    }
  }

  @Test func `references that expand to too many elements are rejected before rendering`() throws {
    #expect(
      throws: ImageDecodingError.unsupportedFeature(.svg, feature: "references that expand to over 100000 elements")
    ) {
      try SVGDecoder().decode(Fixture.data("svg/use-bomb.svg"), options: DecodingOptions())
    }
  }

  @Test func `long and cyclic reference chains terminate`() throws {
    let circle = "<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g><use href='#a'/>"
    let chain = (0..<20_000).map { "<g id='c\($0)'><use href='#c\($0 + 1)'/></g>" }.joined()
    for content in [circle, chain] {
      do {
        _ = try SVGDecoder().decode(Data((Self.open + content + "</svg>").utf8), options: DecodingOptions())
      } catch {
        #expect(error is ImageDecodingError)
      }
    }
  }

  @Test func `sizes are limited`() throws {
    let huge = try Fixture.data("svg/viewbox-huge.svg")
    #expect(throws: ImageDecodingError.sideTooLong(PixelSize(width: 1_000_000, height: 1_000_000), limit: 16_384)) {
      try SVGDecoder().decode(huge, options: DecodingOptions())
    }
    // A part on surfaces that the whole would not fit on.
    let wide = Data(Self.open.replacing("width='8'", with: "width='90000'").utf8 + Array("</svg>".utf8))
    #expect(throws: ImageDecodingError.self) {
      try SVGDecoder().decode(wide, options: DecodingOptions(size: .fill(width: 80, height: 80)))
    }
    let small = Data((Self.open + "</svg>").utf8)
    #expect(throws: ImageDecodingError.sideTooLong(PixelSize(width: 20_000, height: 20_000), limit: 16_384)) {
      try SVGDecoder().decode(small, options: DecodingOptions(size: .fit(width: 20_000, height: 30_000)))
    }
    #expect(throws: ImageDecodingError.invalidTargetSize(.fill(width: 3, height: 0))) {
      try SVGDecoder().decode(small, options: DecodingOptions(size: .fill(width: 3, height: 0)))
    }
  }

  @Test(arguments: ["", "<", "<svg", "<svg width='3", "<!-- ", "<html></html>", "<svg width=3>", "<svg><g></svg>"])
  func `a malformed document is a typed error`(_ text: String) {
    #expect(throws: ImageDecodingError.self) {
      try SVGDecoder().decode(Data(text.utf8), options: DecodingOptions())
    }
  }

  @Test func `a flipped byte gives an image or a typed error`() throws {
    let file = try Fixture.data("svg/shapes.svg")
    for index in file.indices {
      var flipped = file
      flipped[index] ^= 0xFF
      do {
        _ = try SVGDecoder().decode(flipped, options: DecodingOptions(size: .fit(width: 9, height: 9)))
      } catch {
        #expect(error is ImageDecodingError)
      }
    }
  }
}
#endif
