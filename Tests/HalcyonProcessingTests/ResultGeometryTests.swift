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

@Suite(.unitTest)
struct ResultGeometryTests {
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
    SizeCase("w:200/mh:200", (400, 300), (200, 200)), SizeCase("mw:800", (400, 300), (800, 600)),
    SizeCase("mh:600", (400, 300), (800, 600)), SizeCase("mw:100", (400, 300), (400, 300)),
    SizeCase("z:0.5", (400, 300), (200, 150)), SizeCase("z:0.5:1", (400, 300), (200, 300)),
    SizeCase("w:200/z:0.5", (400, 300), (100, 75)), SizeCase("w:100/dpr:2", (400, 300), (200, 150)),
    SizeCase("w:300/dpr:2", (400, 300), (400, 300)), SizeCase("w:300/dpr:2/el:1", (400, 300), (600, 450)),
    SizeCase("c:200:100", (400, 300), (200, 100)), SizeCase("c:0.5:0.5", (400, 300), (200, 150)),
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
  ])
  func `a gravity places an area of 100 pixels in one of 200`(text: String, left: Int, top: Int) throws {
    let gravity = try OptionParser().options(["g:" + text]).options.gravity
    let position = gravity.position(of: (100, 100), in: (200, 200))
    #expect(position.left == left && position.top == top)
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
    let decoded = try BuiltInProcessor.resize(decodingSize).process(bitmap)
    return try processors.reduce(decoded) { try $1.process($0) }
  }
}
