#if SVG
import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Images and drawings in `data` URLs inside a drawing.
@Suite(.integrationTest, .fixtureFonts)
struct SVGEmbeddedImageTests {
  private static let green = Color(0, 128, 0, 255)

  private static func document(_ content: String, _ attributes: String = "width='20' height='20'") -> Data {
    Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
  }

  private static func image(_ data: Data, _ attributes: String = "width='20' height='20'") -> String {
    // The media type is wrong, as it may be; the bytes decide.
    "<image \(attributes) href='data:image/png;base64,\(data.base64EncodedString(options: .lineLength64Characters))'/>"
  }

  private static func painted(_ side: Int) throws -> Data {
    try PNGEncoder().encode(.painted(side, side) { _, _ in green }, options: EncodingOptions())
  }

  private func decode(_ file: Data, _ options: DecodingOptions = DecodingOptions()) throws -> DecodedImage {
    try SVGDecoder().decode(file, options: options)
  }

  @Test(arguments: ["image", "feImage"])
  func `an embedded image is drawn`(_ name: String) throws {
    let url = "data:image/svg+xml;base64," + (try Self.painted(4).base64EncodedString())
    let content =
      name == "image"
      ? "<image width='20' height='20' href='\(url)'/>"
      : "<filter id='f'><feImage href='\(url)'/></filter><rect width='20' height='20' filter='url(#f)'/>"
    let image = try decode(Self.document(content))
    let distance = image.bitmap.color(10, 10) &- Self.green
    #expect((0..<4).allSatisfy { abs(distance[$0]) <= 2 }, "\(distance)")
    #expect(image.info.droppedContent.isEmpty)
  }

  @Test(arguments: ["data:image/svg+xml,", "data:image/svg+xml;utf8,", " DATA:,"])
  func `an embedded drawing that is written as text is drawn`(_ start: String) throws {
    let inner = String(decoding: Self.document("<rect width='20' height='20' fill='green'/>"), as: UTF8.self)
    let text = try #require(inner.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let image = try decode(Self.document("<image width='20' height='20' href='\(start)\(text)'/>"))
    #expect(image.bitmap.color(10, 10) == Self.green)
    #expect(image.info.droppedContent.isEmpty)
  }

  private static let files: [String] = {
    var files = [
      "formats/rgb24.bmp", "formats/rle8.bmp", "formats/png.ico", "formats/deflate.tiff", "formats/still.gif",
      "formats/lossy.webp", "formats/lossless.webp", "formats/alpha.webp", "formats/lossy-animated.webp",
      "jpeg/peacock.png", "jpeg/peacock.default.jpeg", "jpeg/peacock.made-cmyk.jpeg", "color/display-p3.jpeg",
    ]
    #if AVIF && JXL && HEIF
    files += ["avif/photo-420.avif", "jxl/photo.jxl", "heif/photo-single.heic"]
    #endif
    return files
  }()

  @Test(arguments: files)
  func `an embedded image in any format is drawn`(_ name: String) throws {
    let file = try Fixture.data(name)
    let format = try #require(ImageFormat(sniffing: file))
    let decoder = try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
    let expected = try decoder.decode(file, options: DecodingOptions()).bitmap
    let (width, height) = (expected.size.width, expected.size.height)
    let size = "width='\(width)' height='\(height)'"
    // Without a size of the element, the image has its own.
    for attributes in [size, ""] {
      let image = try decode(Self.document(Self.image(file, attributes), size))
      #expect(image.info.droppedContent.isEmpty)
      #expect(image.bitmap.largestDifference(to: expected) <= 6)
    }
  }

  @Test(arguments: ["image", "feImage"])
  func `an image that cannot be decoded is left out, and told`(_ name: String) throws {
    let webp = try Fixture.data("formats/lossy.webp")
    let avif = Data([0, 0, 0, 0x1C] + "ftypavif".utf8 + [0, 0, 0, 0])
    for data in [webp.prefix(90), avif, Data("text".utf8), Data(), Self.document("<g>").dropLast(9)] {
      let url = "data:image/webp;base64,\(data.base64EncodedString())"
      let content = "<rect width='20' height='20' fill='green'/><filter id='f'><feImage href='\(url)'/></filter>"
      let image = try decode(Self.document(content + "<\(name == "image" ? "image width='9'" : "g") href='\(url)'/>"))
      #expect(image.info.droppedContent == [.embeddedImages])
      #expect(image.bitmap.color(10, 10) == Self.green)
    }
  }

  @Test func `an image of another file is left out, as in browsers`() throws {
    let image = try decode(Self.document("<image width='20' height='20' href='http://127.0.0.1:9/a.png'/>"))
    #expect(image.info.droppedContent.isEmpty && image.bitmap.color(10, 10) == Color(0, 0, 0, 0))
  }

  @Test func `embedded images are within the limits, alone and together`() throws {
    let image = Self.image(try Self.painted(40), "width='9' height='9'")
    func file(_ count: Int) -> Data { Self.document(String(repeating: image, count: count)) }
    let limits = ImageLimits(pixelCount: 4000, sideLength: 1000)
    _ = try decode(file(2), DecodingOptions(limits: limits))
    #expect(
      throws: ImageDecodingError.unsupportedFeature(.svg, feature: "images of over 4000 pixels together inside it")
    ) { try decode(file(3), DecodingOptions(limits: limits)) }
    #expect(throws: ImageDecodingError.tooManyPixels(PixelSize(width: 40, height: 40), limit: 1000)) {
      try decode(file(1), DecodingOptions(limits: ImageLimits(pixelCount: 1000)))
    }
  }

  @Test(arguments: [("width='10'", "width='10' height='5'"), ("height='5' width='auto'", "width='10' height='5'")])
  func `an image of which one side is stated keeps its ratio`(_ one: String, _ both: String) throws {
    let drawing = Self.document("<rect width='40' height='20' fill='green'/>", "width='40' height='20'")
    let images = try [one, both].map { try decode(Self.document(Self.image(drawing, $0))).bitmap }
    #expect(images[0].largestDifference(to: images[1]) == 0)
    #expect(images[0].color(9, 4).w == 255)
  }

  private static let half = "<rect width='1' height='2' fill='green'/>"

  @Test func `a drawing inside a drawing is drawn sharply, with its own styles`() throws {
    // The inner drawing has its own rules, identifiers and inherited values.
    let inner = Self.document("<style>rect{fill:green}</style><rect id='r' width='1' height='2'/>", "viewBox='0 0 2 2'")
    let content = "<style>#r{fill:red}</style><g fill='red'>\(Self.image(inner))</g>"
    for (file, side) in [
      (Self.document(content), 400), (Self.document(content, "viewBox='0 0 20 20'").gzipped, 400),
      (Self.document("<g transform='scale(2)'>\(Self.image(inner))</g>", "width='40' height='40'"), 400),
      (Self.document(Self.image(inner.gzipped, "width='100%' height='100%'")), 400),
    ] {
      let image = try decode(file, DecodingOptions(size: .fit(width: side)))
      #expect(image.info.droppedContent.isEmpty)
      #expect(image.bitmap.color(side / 2 - 3, side / 2) == Self.green)
      #expect(image.bitmap.color(side / 2 + 2, side / 2) == Color(0, 0, 0, 0))
    }
  }

  @Test func `a drawing inside has its own size without one`() throws {
    let inner = Self.document(Self.half, "width='10' height='10' viewBox='0 0 2 2'")
    let image = try decode(Self.document(Self.image(inner, "")), DecodingOptions(size: .fit(width: 200)))
    #expect(image.bitmap.color(45, 50) == Self.green && image.bitmap.color(55, 50) == Color(0, 0, 0, 0))
  }

  @Test func `drawings inside each other are drawn to a depth of four`() throws {
    var file = Self.document("<rect width='20' height='20' fill='green'/>")
    for depth in 1...6 {
      file = Self.document(Self.image(file))
      let image = try decode(file)
      #expect(image.info.droppedContent == (depth > 4 ? [.embeddedImages] : []))
      #expect(image.bitmap.color(10, 10) == (depth > 4 ? Color(0, 0, 0, 0) : Self.green))
    }
  }

  @Test func `the limits count for all drawings inside together`() throws {
    let slow =
      "<filter id='f'><feTurbulence baseFrequency='.1' numOctaves='8'/></filter><rect width='999' height='999' "
      + "filter='url(#f)'/>"
    func file(_ count: Int) -> Data {
      let images = (0..<count).map { index in
        Self.image(
          Self.document("<desc>\(index)</desc>" + slow, "width='999' height='999'"), "width='999' height='999'")
      }
      return Self.document(images.joined(), "width='999' height='999'")
    }
    #expect(throws: ImageDecodingError.self) { try decode(file(30)) }
    for start in ["<text font-family='none-", "<g style='font-family:none-", "<g style='font:9px none-"] {
      let families = (0..<40).map { index in Self.image(Self.document("\(start)\(index)'/>")) }
      #expect(throws: ImageDecodingError.unsupportedFeature(.svg, feature: "over 32 font families"), "\(start)") {
        try decode(Self.document(families.joined()))
      }
    }
    #expect(throws: ImageDecodingError.unsupportedFeature(.svg, feature: "external entities or parameter entities")) {
      let bomb = "<!DOCTYPE svg [<!ENTITY % a 'b'>]>" + String(decoding: Self.document(""), as: UTF8.self)
      return try decode(Self.document(Self.image(Data(bomb.utf8))))
    }
  }

  #if os(Linux)
  @Test func `a helper process draws and tells the same`() throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "halcyon-svg-helper")
    let inner = Self.document(Self.half, "viewBox='0 0 2 2'")
    let content =
      try Self.image(Fixture.data("formats/lossy.webp")) + Self.image(inner) + Self.image(Data("no".utf8))
      + "<set/><text x='1 2'>ab</text>"
    let text = Self.document("<text x='1 2' y='9'>ab</text>", "viewBox='0 0 20 10'")
    for file in [Self.document(content).gzipped, text, text.gzipped, Self.document(Self.image(text))] {
      let image = try IsolatedSVGDecoder(helper: program).decode(file, options: DecodingOptions(size: .fit(width: 33)))
      let direct = try decode(file, DecodingOptions(size: .fit(width: 33)))
      #expect(image.info == direct.info)
      #expect(image.bitmap.largestDifference(to: direct.bitmap) == 0)
    }
    let dropped = try decode(Self.document(content)).info.droppedContent
    #expect(dropped == [.embeddedImages, .frames, .svgFeatures])
  }
  #endif
}
#endif
