import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct LanczosResamplerTests {
  #if !IMAGEIO
  @Test(arguments: Photos.names)
  func `a photograph resized in Swift looks as resized by zimg`(_ name: String) throws {
    let decoder: any ImageDecoder = name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
    let photo = try decoder.decode(Photos.data(name), options: DecodingOptions(size: .fill(width: 201, height: 167)))
    for target in [
      TargetSize.fit(width: 37, height: 53), .fit(width: 127, height: 127), .exact(width: 230, height: 301),
    ] {
      // zimg dithers, which shows in the plain areas of this one.
      try expectEqual(photo.bitmap, target, similarity: name == "clock_motion.png" ? 0.997 : 0.999)
    }
  }

  @Test(
    arguments: [
      .fit(width: 100, height: 100), .fill(width: 90, height: 300, anchor: .top), .exact(width: 150, height: 600),
    ] as [TargetSize])
  func `a large photograph resized in Swift looks as resized by zimg`(_ target: TargetSize) throws {
    let photo = try JPEGDecoder().decode(Photos.data("astronaut.jpg"), options: DecodingOptions())
    try expectEqual(photo.bitmap, target)
  }

  private func expectEqual(_ photo: Bitmap, _ target: TargetSize, similarity: Double = 0.999) throws {
    let ours = try ResizeProcessor(target, implementation: .swift).process(photo)
    let peer = try ResizeProcessor(target, implementation: .zimg).process(photo)
    #expect(ours.largestDifference(to: peer) <= 2, "\(target)")
    #expect(ours.similarity(to: peer) >= similarity, "\(target)")
    #expect(ours.isOpaque == photo.isOpaque)
  }
  #endif

  @Test(arguments: [(1, 1), (3, 2), (40, 30), (67, 211), (4, 300)])
  func `plain areas keep their colours, and transparent ones stay empty`(_ size: (width: Int, height: Int)) throws {
    let colors = [Color(255, 255, 255, 255), Color(0, 0, 0, 0), Color(0, 0, 0, 255), Color(60, 9, 120, 128)]
    for color in colors {
      let image = try Bitmap.painted(61, 47, isOpaque: false) { _, _ in color }
      let result = try resized(image, size.width, size.height)
      let expected = try Bitmap.painted(size.width, size.height, isOpaque: false) { _, _ in color }
      #expect(result.largestDifference(to: expected) == 0, "\(color)")
    }
  }

  @Test func `colours never exceed alpha`() throws {
    let image = try Bitmap.painted(40, 40, isOpaque: false) { column, row in
      column % 7 < 3 ? Color(255, 255, 255, 255) : row % 5 < 2 ? Color(0, 0, 0, 255) : Color(0, 0, 0, 0)
    }
    for side in [13, 29, 77] {
      let result = try resized(image, side, side)
      for row in 0..<side {
        for column in 0..<side {
          let color = result.color(column, row)
          #expect(max(color.x, color.y, color.z) <= color.w)
        }
      }
    }
  }

  @Test func `an image of one pixel fills any size`() throws {
    let image = try Bitmap.painted(1, 1) { _, _ in Color(10, 20, 30, 255) }
    let expected = try Bitmap.painted(5, 3) { _, _ in Color(10, 20, 30, 255) }
    #expect(try resized(image, 5, 3).largestDifference(to: expected) == 0)
  }

  @Test(arguments: [(2000, 1), (1, 1500)])
  func `a reduction far above the limit of a box filter gives the average`(_ size: (width: Int, height: Int)) throws {
    let image = try Bitmap.painted(size.width, size.height) { column, row in
      (column + row) % 2 == 0 ? Color(200, 0, 100, 255) : Color(100, 0, 100, 255)
    }
    let result = try resized(image, 1, 1)
    #expect((result.color(0, 0) &- Color(150, 0, 100, 255)).x.magnitude <= 2)
    #expect(result.color(0, 0).z == 100)
  }

  @Test func `cancelling ends the resampling`() throws {
    let image = try Bitmap.gradient(64, 64)
    let geometry = TargetSize.fit(width: 20, height: 20).geometry(for: image.size)
    let resampler = LanczosResampler(geometry: geometry) { true }
    #expect(throws: ImageDecodingError.cancelled) {
      try resampler.bitmap(isOpaque: true, from: BitmapRowSource(image))
    }
  }

  @Test func `rows below the window are read, so that damage there is found`() throws {
    let rows = FailingRows(size: PixelSize(width: 20, height: 40))
    let geometry = TargetSize.fill(width: 10, height: 5, anchor: .top).geometry(for: rows.size)
    #expect(throws: ImageDecodingError.truncated(.png)) {
      try LanczosResampler(geometry: geometry) { false }.bitmap(isOpaque: true, from: rows)
    }
  }

  private func resized(_ image: Bitmap, _ width: Int, _ height: Int) throws -> Bitmap {
    let geometry = TargetSize.exact(width: width, height: height).geometry(for: image.size)
    return try LanczosResampler(geometry: geometry) { false }
      .bitmap(isOpaque: image.isOpaque, from: BitmapRowSource(image))
  }
}

/// Rows that end with an error.
private final class FailingRows: RowSource {
  let size: PixelSize
  let isOpaque = true
  private var count = 0

  init(size: PixelSize) { self.size = size }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    count += 1
    if count == size.height { throw .truncated(.png) }
    row.update(repeating: 255, count: size.width * 4)
  }

  func finish() {}
}
