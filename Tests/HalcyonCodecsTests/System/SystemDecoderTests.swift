import Foundation
import HalcyonImaging
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// The decisions around the codecs of a system, with a reader whose results each test chooses.
@Suite(.integrationTest)
struct SystemDecoderTests {
  private static let stored = PixelSize(width: 240, height: 160)
  private static let file = Data("file".utf8)

  @Test(
    arguments: [
      .fit(width: 60, height: 60), .fill(width: 33, height: 50), .fill(width: 20, height: 20, anchor: .bottom),
      .exact(width: 300, height: 90), .fit(width: 1, height: 1), .original, .fit(width: 1000, height: 1000),
    ] as [TargetSize])
  func `the result has the planned size, and shows the planned window`(_ size: TargetSize) throws {
    let whole = try Bitmap.gradient(Self.stored.width, Self.stored.height)
    let plan = try plan(size)
    let result = try decoder(ScalingReader(image: whole)).bitmap(of: Self.file, plan: plan)
    #expect(result.size == plan.geometry.outputSize)
    if plan.geometry.reduction >= 1 {
      #expect(result.difference(toAveraged: whole, geometry: plan.geometry) < 1.5)
    }
    // Only `.exact` enlarges an image.
    if case .fit(1000, 1000) = size { #expect(result.size == Self.stored) }
  }

  @Test(
    arguments: [
      (.fit(width: 60, height: 60), [120]), (.fit(width: 24, height: 24), [48]), (.fit(width: 100, height: 100), [nil]),
      (.original, [nil]), (.fill(width: 10, height: 40), [120]), (.fit(width: 1, height: 1), [3]),
    ] as [(TargetSize, [Int?])])
  func `the system decodes two pixels per output pixel of the longer side, where that saves time`(
    _ size: TargetSize, _ sides: [Int?]
  ) throws {
    let reader = ScalingReader(image: try Bitmap.gradient(Self.stored.width, Self.stored.height))
    _ = try decoder(reader).bitmap(of: Self.file, plan: plan(size))
    #expect(reader.sides.withLock { $0 } == sides)
  }

  @Test(arguments: [nil, PixelSize(width: 30, height: 20), PixelSize(width: 120, height: 120)])
  func `a small image that is missing, too small or of another shape is replaced by the whole one`(
    _ small: PixelSize?
  ) throws {
    let whole = try Bitmap.gradient(Self.stored.width, Self.stored.height)
    let black = try small.map { try Bitmap.painted($0.width, $0.height) { _, _ in Color(0, 0, 0, 255) } }
    let reader = FixedReader(small: black, whole: whole)
    let plan = try plan(.fit(width: 60, height: 60))
    let result = try decoder(reader).bitmap(of: Self.file, plan: plan)
    #expect(result.size == PixelSize(width: 60, height: 40))
    #expect(result.difference(toAveraged: whole, geometry: plan.geometry) < 1.5)
  }

  @Test func `an image that the system cannot decode is an error`() throws {
    #expect(throws: ImageDecodingError.corrupt(.jpeg, reason: "the system's codec cannot decode it")) {
      try decoder(FixedReader(small: nil, whole: nil)).bitmap(of: Self.file, plan: plan(.original))
    }
    #expect(throws: ImageDecodingError.truncated(.jpeg)) {
      try decoder(FixedReader(small: nil, whole: nil, isTruncated: true)).bitmap(of: Self.file, plan: plan(.original))
    }
  }

  @Test(arguments: [TargetSize.original, .fit(width: 100, height: 100), .fit(width: 9, height: 9)])
  func `an image of another size than its header says is an error`(_ size: TargetSize) throws {
    let other = try Bitmap.gradient(80, 80)
    let reason = "it decodes to 80x80 pixels, but its header says 240x160"
    #expect(throws: ImageDecodingError.corrupt(.jpeg, reason: reason)) {
      try decoder(FixedReader(small: nil, whole: other)).bitmap(of: Self.file, plan: plan(size))
    }
  }

  @Test(arguments: [TargetSize.original, .fit(width: 9, height: 9)])
  func `an image that the system finds to be truncated is an error, or partial if that is allowed`(
    _ size: TargetSize
  ) throws {
    let reader = ScalingReader(image: try Bitmap.gradient(240, 160), isComplete: false)
    #expect(throws: ImageDecodingError.truncated(.jpeg)) {
      try decoder(reader).bitmap(of: Self.file, plan: plan(size))
    }
    let truncation = PartialImagePolicy(isAccepted: true)
    _ = try decoder(reader).bitmap(of: Self.file, plan: plan(size), truncation: truncation)
    #expect(truncation.isFound)
  }

  @Test func `a thumbnail in the file fills the planned size of the whole image`() throws {
    let thumbnail = try Bitmap.gradient(48, 32)
    let plan = try plan(.fit(width: 120, height: 120))
    let result = try decoder(FixedReader(small: nil, whole: thumbnail))
      .bitmap(of: Self.file, plan: plan, storedSize: thumbnail.size)
    #expect(result.size == PixelSize(width: 120, height: 80))
    #expect((result.color(60, 40) &- thumbnail.color(24, 16)).x.magnitude < 4)
  }

  @Test func `a cancelled decode reads nothing`() throws {
    let reader = ScalingReader(image: try Bitmap.gradient(240, 160))
    let decoder = SystemDecoder(
      reader: reader, graphs: ResampleGraphCache(), isCancelled: { true }, implementation: .swift)
    #expect(throws: ImageDecodingError.cancelled) { try decoder.bitmap(of: Self.file, plan: plan(.original)) }
    #expect(reader.sides.withLock { $0.isEmpty })
  }

  private func plan(_ size: TargetSize) throws -> DecodingPlan {
    try DecodingPlan(
      info: ImageInfo(format: .jpeg, storedSize: Self.stored), options: DecodingOptions(size: size))
  }

  private func decoder(_ reader: some SystemImageReader) -> SystemDecoder {
    SystemDecoder(reader: reader, graphs: ResampleGraphCache(), isCancelled: { false }, implementation: .swift)
  }
}
