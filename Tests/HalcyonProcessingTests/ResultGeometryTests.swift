import HalcyonCodecs
import HalcyonImaging
@testable import HalcyonProcessing
import HalcyonTestTraits
import Testing

/// Options for a source, and the size of their result.
struct SizeCase: CustomTestStringConvertible, Sendable {
  let options: String
  let source: PixelSize
  let result: PixelSize

  init(_ options: String, _ source: (Int, Int), _ result: (Int, Int)) {
    self.options = options
    self.source = PixelSize(width: source.0, height: source.1)
    self.result = PixelSize(width: result.0, height: result.1)
  }

  var testDescription: String { "\(options) of \(source)" }
}

/// Options for a source, and what of it is where in the result.
struct PlaceCase: CustomTestStringConvertible, Sendable {
  let options: String
  var source = (200, 100)
  /// That of the file, whose pixels the result has as they are stored.
  var orientation = ImageOrientation.up
  let result: (Int, Int)
  /// The part of the result that is drawn: its left, top, right and bottom edge.
  let drawn: (Int, Int, Int, Int)
  /// The places in the source of the first and the last pixel that is drawn.
  let first: (Int, Int)
  let last: (Int, Int)

  init(
    _ options: String, source: (Int, Int) = (200, 100), undoing orientation: ImageOrientation = .up,
    _ result: (Int, Int),
    drawn: (Int, Int, Int, Int)? = nil, _ first: (Int, Int), _ last: (Int, Int)
  ) {
    (self.options, self.source, self.orientation, self.result) = (options, source, orientation, result)
    (self.first, self.last) = (first, last)
    self.drawn = drawn ?? (0, 0, result.0, result.1)
  }

  var testDescription: String { "\(options) of \(source), undoing \(orientation)" }
}

@Suite(.unitTest)
struct ResultGeometryTests {
  static let places: [PlaceCase] = [
    PlaceCase("c:100:50:nowe:20:10", (100, 50), (20, 10), (119, 59)),
    PlaceCase("c:100:50/g:soea", (100, 50), (100, 50), (199, 99)),
    PlaceCase("c:100:50:nowe:20:10/g:soea/w:50", (50, 25), (20, 10), (119, 59)),
    PlaceCase("c:100:50:nowe:20:10/w:200/el:1", (200, 100), (20, 10), (119, 59)),
    PlaceCase("c:100:50:nowe:20:10/rs:fill:100:100:1", (100, 100), (45, 10), (94, 59)),
    PlaceCase("c:100:50:nowe:20:10/rs:fill:100:100:1/g:ea", (100, 100), (70, 10), (119, 59)),
    PlaceCase("c:100:50:nowe:20:10/rs:fill:25:25/g:we", (25, 25), (20, 10), (69, 59)),
    PlaceCase("rs:fill:50:100/g:ea", (50, 100), (150, 0), (199, 99)),
    PlaceCase("rs:fill:50:50/g:nowe:20:0", (50, 50), (40, 0), (139, 99)),
    PlaceCase("rs:fill:50:50/g:nowe:20:0/dpr:2", (100, 100), (40, 0), (139, 99)),
    PlaceCase("rs:fill:400:100:1/g:so", (400, 100), (0, 50), (199, 99)),
    PlaceCase("rs:fill:50:50/g:fp:0.25:0.5", (50, 50), (0, 0), (99, 99)),
    PlaceCase("rs:fill-down:400:100", (200, 50), (0, 25), (199, 74)),
    PlaceCase("rs:fill-down:100:400/g:ea", (25, 100), (175, 0), (199, 99)),
    PlaceCase("rot:90", (100, 200), (0, 99), (199, 0)), PlaceCase("rot:270/w:50", (50, 100), (199, 0), (0, 99)),
    PlaceCase("rot:90/rs:fill:50:50/g:no", (50, 50), (0, 99), (99, 0)),
    PlaceCase("rot:90/fl:1/rs:fill:50:50/g:so", (50, 50), (100, 0), (199, 99)),
    PlaceCase("fl:0:1/c:100:50:nowe", (100, 50), (0, 99), (99, 50)),
    PlaceCase("", undoing: .right, (100, 200), (199, 0), (0, 99)),
    PlaceCase("rot:90", undoing: .right, (200, 100), (0, 0), (199, 99)),
    PlaceCase("fl:1/rs:fill:50:50/g:no", undoing: .right, (50, 50), (199, 99), (100, 0)),
    PlaceCase(
      "w:60/h:30/ex:1:nowe:5:0/dpr:2", source: (100, 100), (120, 60), drawn: (10, 0, 70, 60), (0, 0), (99, 99)),
    PlaceCase("w:300/h:100/ex:1:so", (300, 100), drawn: (50, 0, 250, 100), (0, 0), (199, 99)),
    PlaceCase("w:400/h:300/ex:1:so/dpr:0.5", (200, 150), drawn: (50, 100, 150, 150), (0, 0), (199, 99)),
    PlaceCase("w:400/h:300/dpr:0.5", (200, 100), (0, 0), (199, 99)),
    PlaceCase("w:50/h:50/exar:1:no", (50, 50), drawn: (0, 0, 50, 25), (0, 0), (199, 99)),
    PlaceCase("w:50/pd:10:20:30:40/dpr:2", (220, 130), drawn: (80, 20, 180, 70), (0, 0), (199, 99)),
    PlaceCase("w:1000/pd:10", (220, 120), drawn: (10, 10, 210, 110), (0, 0), (199, 99)),
  ]

  /// A source whose pixels say where they are, in red and green.
  private func source(_ size: (width: Int, height: Int)) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: size.width, height: size.height), isOpaque: true) { bytes in
      for index in bytes.indices {
        let pixel = index / 4
        bytes[index] = UInt8([pixel % size.width, pixel / size.width, 0, 255][index % 4])
      }
    }
  }

  @Test(arguments: places) func `what an option leaves of an image is where it belongs`(place: PlaceCase) throws {
    let segments = place.options.split(separator: "/").map(String.init)
    let options = try OptionParser().options(segments).options
    let source = try source(place.source)
    let plan = try ProcessingPlan(options, source: source.size, undoing: place.orientation)
    let result = try plan.applied(to: source)
    #expect(result.size == PixelSize(width: place.result.0, height: place.result.1))
    #expect(plan.resultSize == result.size)
    let drawn = (0..<result.size.pixelCount).filter { result[$0 % result.size.width, $0 / result.size.width].alpha > 0 }
    let (columns, rows) = (drawn.map { $0 % result.size.width }, drawn.map { $0 / result.size.width })
    #expect(columns.min() == place.drawn.0)
    #expect(rows.min() == place.drawn.1)
    #expect(columns.max() == place.drawn.2 - 1)
    #expect(rows.max() == place.drawn.3 - 1)
    // A pixel of a smaller or larger image is between pixels of the source.
    for (column, row, expected) in [
      (place.drawn.0, place.drawn.1, place.first), (place.drawn.2 - 1, place.drawn.3 - 1, place.last),
    ] {
      let pixel = result[column, row]
      #expect(abs(Int(pixel.red) - expected.0) <= 3, "\(pixel)")
      #expect(abs(Int(pixel.green) - expected.1) <= 3, "\(pixel)")
    }
  }

  static let sizes: [SizeCase] = [
    SizeCase("w:0", (400, 300), (400, 300)), SizeCase("rs:fit:200:200", (400, 300), (200, 150)),
    SizeCase("rs:fit:200:0", (400, 300), (200, 150)), SizeCase("rs:fit:0:150", (400, 300), (200, 150)),
    SizeCase("rs:fit:800:800", (400, 300), (400, 300)), SizeCase("rs:fit:800:800:1", (400, 300), (800, 600)),
    SizeCase("rs:fill:200:200", (400, 300), (200, 200)), SizeCase("rs:fill:800:200", (400, 300), (400, 200)),
    SizeCase("rs:fill:800:800:1", (400, 300), (800, 800)), SizeCase("rs:fill-down:800:400", (400, 300), (400, 200)),
    SizeCase("rs:fill-down:200:200", (400, 300), (200, 200)),
    SizeCase("rs:fill-down:400:800", (400, 300), (150, 300)), SizeCase("rs:force:200:200", (400, 300), (200, 200)),
    SizeCase("rs:force:200:0", (400, 300), (200, 300)), SizeCase("rs:force:800:150", (400, 300), (400, 75)),
    SizeCase("rs:force:800:150:1", (400, 300), (800, 150)), SizeCase("rs:auto:200:100", (400, 300), (200, 100)),
    SizeCase("rs:auto:100:200", (400, 300), (100, 75)), SizeCase("rs:auto:100:200", (300, 400), (100, 200)),
    // A square counts as landscape.
    SizeCase("rs:auto:200:200", (400, 300), (200, 200)), SizeCase("rs:auto:100:200", (300, 300), (100, 100)),
    SizeCase("w:200/mh:200", (400, 300), (200, 200)), SizeCase("mw:800", (400, 300), (800, 600)),
    SizeCase("mh:600", (400, 300), (800, 600)), SizeCase("mw:100", (400, 300), (400, 300)),
    SizeCase("z:0.5", (400, 300), (200, 150)), SizeCase("z:0.5:1", (400, 300), (200, 300)),
    SizeCase("w:200/z:0.5", (400, 300), (100, 75)), SizeCase("w:100/dpr:2", (400, 300), (200, 150)),
    SizeCase("w:300/dpr:2", (400, 300), (400, 300)), SizeCase("w:300/dpr:2/el:1", (400, 300), (600, 450)),
    SizeCase("c:200:100", (400, 300), (200, 100)), SizeCase("c:0.5:0.5", (400, 300), (200, 150)),
    SizeCase("c:1:0.5", (400, 300), (1, 150)),
    SizeCase("c:0:100", (400, 300), (400, 100)), SizeCase("c:1000:1000", (400, 300), (400, 300)),
    SizeCase("c:200:100/w:100", (400, 300), (100, 50)), SizeCase("c:200:200/rs:fill:50:100", (400, 300), (50, 100)),
    SizeCase("c:100:100/w:200/el:1", (400, 300), (200, 200)),
    SizeCase("w:200/h:200/ex:1", (400, 300), (200, 200)), SizeCase("w:800/h:800/ex:1", (400, 300), (800, 800)),
    SizeCase("w:200/h:100/exar:1", (400, 300), (200, 100)), SizeCase("w:800/h:800/exar:1", (400, 300), (400, 400)),
    SizeCase("w:200/pd:10:20", (400, 300), (240, 170)), SizeCase("w:100/pd:10/dpr:2", (400, 300), (240, 190)),
    SizeCase("rot:90/w:150", (400, 300), (150, 200)), SizeCase("rot:180/w:200", (400, 300), (200, 150)),
    SizeCase("rot:90/rs:fill:100:50", (400, 300), (100, 50)), SizeCase("w:1/h:1", (4000, 10), (1, 1)),
    SizeCase("rs:fill:100:100", (10000, 10), (100, 10)),
  ]

  @Test(arguments: sizes) func `the result has the documented size`(size: SizeCase) throws {
    let segments = size.options.split(separator: "/").map(String.init)
    let options = try OptionParser().options(segments).options
    let bitmap = try Bitmap(size: size.source, isOpaque: true) { $0.initializeMemory(as: UInt8.self, repeating: 255) }
    let plan = try ProcessingPlan(options, source: size.source, sideLimit: 20_000)
    #expect(try plan.applied(to: bitmap).size == size.result)
  }

  @Test(arguments: [
    ("no", 50, 0), ("so", 50, 100), ("we", 0, 50), ("ea", 100, 50), ("nowe", 0, 0), ("soea", 100, 100), ("ce", 50, 50),
    ("nowe:10:20", 10, 20), ("soea:10:20", 90, 80), ("nowe:0.1:0.25", 20, 50), ("ce:10:-10", 60, 40),
    ("nowe:1000:0", 100, 0), ("fp:0:0", 0, 0), ("fp:1:1", 100, 100), ("fp:0.5:0.25", 50, 0), ("fp:0.3:0.4", 10, 30),
    ("nowe:1:0", 1, 0),
  ])
  func `a gravity places an area of 100 pixels in one of 200`(text: String, left: Int, top: Int) throws {
    let gravity = try OptionParser().options(["g:" + text]).options.gravity
    let position = gravity.position(of: (100, 100), in: (200, 200))
    #expect(position.left == left)
    #expect(position.top == top)
  }

  @Test func `brightness is changed before contrast, and what is added around the image stays as it is`() throws {
    let options = try OptionParser().options(["pd:1", "bg:808080", "co:3", "br:50"]).options
    let source = try Bitmap(size: PixelSize(width: 4, height: 4), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : 100 }
    }
    let result = try ProcessingPlan(options, source: source.size).applied(to: source)
    #expect(result[2, 2] == (195, 195, 195, 255))
    #expect(result[0, 0] == (128, 128, 128, 255))
  }

  @Test(arguments: [
    ("w:9/h:9/ex:1", true), ("w:9/h:9/exar:1", true), ("pd:1", true), ("pd:0:0:0:1", true), ("pd:0", false),
    ("w:9/h:9/el:1", false), ("bg:808080", false),
  ])
  func `an option that puts pixels around the image says so`(_ text: String, _ addsPixels: Bool) throws {
    let options = try OptionParser().options(text.split(separator: "/").map(String.init)).options
    #expect(options.addsPixels == addsPixels)
  }

  @Test func `a result beyond the limit of a side is refused`() throws {
    var options = ProcessingOptions()
    (options.width, options.height, options.enlarge) = (5000, 5000, true)
    let source = PixelSize(width: 10, height: 10)
    #expect(throws: PlanError.resultTooLarge(PixelSize(width: 5000, height: 5000), sideLimit: 4096)) {
      try ProcessingPlan(options, source: source, sideLimit: 4096)
    }
  }
}

extension ProcessingPlan {
  /// The result for a decoded source of the original size.
  func applied(to bitmap: Bitmap) throws -> Bitmap {
    let whole = PixelArea(left: 0, top: 0, width: bitmap.size.width, height: bitmap.size.height)
    let area = region ?? whole
    let part = try BuiltInProcessor.crop(x: area.left, y: area.top, width: area.width, height: area.height)
      .process(bitmap)
    let decoded = try BuiltInProcessor.resize(decodingSize).process(part)
    return try processors.reduce(decoded) { try $1.process($0) }
  }
}
