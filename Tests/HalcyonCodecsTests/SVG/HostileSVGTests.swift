#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import Testing

struct HostileSVGTests {
  private static let open = """
    <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
    xmlns:xi='http://www.w3.org/2001/XInclude' width='8' height='8'>
    """

  /// A red picture and a red drawing beside which nothing may be loaded.
  private static func temptations() throws -> (folder: URL, picture: String, drawing: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let red = try Bitmap.painted(8, 8) { _, _ in Color(255, 0, 0, 255) }
    try PNGEncoder().encode(red, options: EncodingOptions()).write(to: folder.appending(path: "red.png"))
    let drawing = open + "<rect id='r' width='8' height='8' fill='red'/></svg>"
    try Data(drawing.utf8).write(to: folder.appending(path: "red.svg"))
    return (folder, folder.appending(path: "red.png").path, folder.appending(path: "red.svg").path)
  }

  @Test(arguments: [
    "<image width='8' height='8' xlink:href='file://PICTURE'/>", "<image width='8' height='8' href='PICTURE'/>",
    "<image width='8' height='8' href='red.png'/>", "<image width='8' height='8' href='http://127.0.0.1:9/red.png'/>",
    "<use href='file://DRAWING#r'/>", "<use xlink:href='DRAWING#r'/>", "<xi:include href='file://DRAWING'/>",
    "<xi:include href='DRAWING'/>", "<style>@import url('file://FOLDER/red.css');</style>",
    "<style>@import url('http://127.0.0.1:9/red.css');</style>",
    "<rect width='8' height='8' fill='url(file://DRAWING#r)'/>",
    "<script>document.documentElement.innerHTML = '&lt;rect width=\\'8\\' height=\\'8\\' fill=\\'red\\'/&gt;'</script>",
  ])
  func `nothing outside the file is loaded, and no script is run`(_ content: String) throws {
    let (folder, picture, drawing) = try Self.temptations()
    defer { try? FileManager.default.removeItem(at: folder) }
    let filled = content.replacing("PICTURE", with: picture).replacing("DRAWING", with: drawing)
      .replacing("FOLDER", with: folder.path)
    let file = Data((Self.open + filled + "</svg>").utf8)
    let clear = try Bitmap.painted(8, 8, isOpaque: false) { _, _ in Color(0, 0, 0, 0) }
    do {
      #expect(try SVGDecoder().decode(file, options: DecodingOptions()).bitmap.largestDifference(to: clear) == 0)
    } catch let error as ImageDecodingError {
      // Refusing the file is as good.
      #expect(error != .cancelled)
    }
  }

  @Test func `an entity of another file is not read`() throws {
    #expect(throws: ImageDecodingError.self) {
      try SVGDecoder().decode(Fixture.data("svg/external-entity.svg"), options: DecodingOptions())
    }
  }

  @Test(arguments: ["svg/billion-laughs.svg", "svg/use-bomb.svg"])
  func `a file that unfolds into millions of elements is refused`(_ name: String) throws {
    #expect(throws: ImageDecodingError.self) {
      try SVGDecoder().decode(Fixture.data(name), options: DecodingOptions())
    }
  }

  @Test func `entities are refused where they hold others, and drawn where they do not`() throws {
    let name = "<!DOCTYPE svg [<!ENTITY a 'lime'><!ENTITY b '&a;'>]>"
    let drawing = Self.open + "<rect width='8' height='8' fill='&a;'/></svg>"
    #expect(throws: ImageDecodingError.unsupportedFeature(.svg, feature: "entities made of other entities")) {
      try SVGDecoder().decode(Data((name + drawing).utf8), options: DecodingOptions())
    }
    let plain = Data((name.replacing("<!ENTITY b '&a;'>", with: "") + drawing).utf8)
    #expect(try SVGDecoder().decode(plain, options: DecodingOptions()).bitmap.color(4, 4) == Color(0, 255, 0, 255))
  }

  @Test func `references that come to too much are refused before they are drawn`() throws {
    #expect(
      throws: ImageDecodingError.unsupportedFeature(.svg, feature: "references that come to over 100000 elements")
    ) {
      try SVGDecoder().decode(Fixture.data("svg/use-bomb.svg"), options: DecodingOptions())
    }
  }

  @Test(arguments: [300, 5000, 200_000])
  func `elements deep inside each other are a typed error`(_ depth: Int) {
    let text = Self.open + String(repeating: "<g>", count: depth) + String(repeating: "</g>", count: depth) + "</svg>"
    #expect(throws: ImageDecodingError.self) {
      try SVGDecoder().decode(Data(text.utf8), options: DecodingOptions())
    }
  }

  @Test func `a chain of references and a circle of them end`() throws {
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
      try SVGDecoder().decode(huge, options: DecodingOptions(size: .fit(width: 10, height: 10)))
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
  func `what is no drawing is a typed error`(_ text: String) {
    #expect(throws: ImageDecodingError.self) {
      try SVGDecoder().decode(Data(text.utf8), options: DecodingOptions())
    }
  }

  @Test func `every byte may be flipped`() throws {
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
