import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Previews of baseline JPEG images, of thumbnails in Exif data, and of animations.
@Suite(.integrationTest)
struct FirstPreviewTests {
  private static let options = DecodingOptions(size: .fit(width: 160, height: 160))

  /// A baseline JPEG image of 320×200 pixels in green and blue, with enough detail for several previews.
  private static func photo() throws -> Data {
    var state: UInt64 = 1
    let bitmap = try Bitmap.painted(320, 200) { _, row in
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return Color(0, 100 + Int(state >> 40 & 63), row, 255)
    }
    return try JPEGEncoder().encode(bitmap, options: EncodingOptions(quality: 0.9))
  }

  private static func red(_ width: Int, _ height: Int) throws -> Data {
    try JPEGEncoder().encode(
      Bitmap.painted(width, height) { _, _ in Color(255, 0, 0, 255) }, options: EncodingOptions())
  }

  private static func inserting(_ thumbnail: Data, into file: Data, orientation: Int = 1) -> Data {
    FileSurgery.jpeg(
      file, inserting: 0xE1,
      Array("Exif\0\0".utf8) + FileSurgery.exif(orientation: orientation, thumbnail: thumbnail))
  }

  @Test func `the rows of a baseline image are previewed as they arrive`() throws {
    let file = try Self.photo()
    let whole = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
    var stages: [Int] = []
    for count in stride(from: 0, to: file.count, by: 1000) {
      let preview = try JPEGDecoder().preview(
        file.prefix(count), after: stages.last ?? 0, options: DecodingOptions())
      guard let preview else { continue }
      stages.append(preview.stage)
      #expect(preview.image.isPartial && preview.image.size == whole.size)
      #expect(preview.image.bitmap.color(100, 0) == whole.color(100, 0))
    }
    #expect(stages.count >= 3 && stages == stages.sorted())
    let half = try #require(
      try JPEGDecoder().preview(file.prefix(file.count / 2), after: 0, options: DecodingOptions()))
    #expect(half.image.bitmap.color(100, 60) == whole.color(100, 60))
    #expect(half.image.bitmap.color(100, 190) != whole.color(100, 190))
  }

  @Test(arguments: [1, 6])
  func `a thumbnail of the same aspect ratio is the first preview, at the size of the image`(_ orientation: Int) throws
  {
    let plain = try Self.photo()
    let file = Self.inserting(try Self.red(80, 50), into: plain, orientation: orientation)
    let added = file.count - plain.count
    let image = try JPEGDecoder().decode(file, options: Self.options)
    let preview = try #require(
      try JPEGDecoder().preview(file.prefix(added + 1000), after: 0, options: Self.options))
    #expect(preview.image.size == image.size && preview.image.isPartial && preview.image.info == image.info)
    let color = preview.image.bitmap.color(50, 50)
    #expect(color[0] > 240 && color[1] < 20)
    // Rows above grey ones would show less than the thumbnail.
    let later = file.prefix(file.count - 1000)
    #expect(try JPEGDecoder().preview(later, after: preview.stage, options: Self.options) == nil)
  }

  @Test func `a thumbnail comes before the scans of a progressive image`() throws {
    let plain = try Fixture.data("jpeg/peacock.default-progressive.jpeg")
    let size = try #require(try JPEGDecoder().probe(plain, isComplete: true)).storedSize
    let file = Self.inserting(try Self.red(size.width / 2, size.height / 2), into: plain)
    var colors: [Color] = []
    var stage = 0
    for count in 0...file.count {
      let preview = try JPEGDecoder().preview(file.prefix(count), after: stage, options: DecodingOptions())
      guard let preview else { continue }
      #expect(preview.stage > stage)
      stage = preview.stage
      colors.append(preview.image.bitmap.color(1, 1))
    }
    #expect(colors.count >= 4 && colors[0][0] > 240 && colors[0][1] < 20)
    #expect(colors.dropFirst().allSatisfy { $0[1] > 20 || $0[0] < 240 })
  }

  @Test func `a thumbnail with bars, without colours, or that is damaged, is no preview`() throws {
    let plain = try Self.photo()
    let grey = try JPEGEncoder().encode(
      Bitmap.painted(80, 50) { _, _ in Color(200, 200, 200, 255) }, options: EncodingOptions())
    for thumbnail in [try Self.red(80, 60), grey, Data([0xFF, 0xD8, 0xFF, 0xD9]), Data(repeating: 0, count: 100)] {
      let file = Self.inserting(thumbnail, into: plain)
      let start = file.prefix(file.count - plain.count + 1000)
      #expect(try JPEGDecoder().preview(start, after: 0, options: Self.options) == nil)
      let half = try #require(try JPEGDecoder().preview(file.prefix(file.count / 2), after: 0, options: Self.options))
      #expect(half.image.bitmap.color(50, 10)[0] < 100)
    }
  }

  @Test(arguments: FormatFixture.animations)
  func `the first frame of an animation is previewed before the rest has arrived`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    let decoder = try #require(try FormatFixture.decoder(name) as? any ProgressiveImageDecoder)
    let whole = try decoder.decode(file, options: DecodingOptions()).bitmap
    var previews: [(count: Int, preview: ImagePreview)] = []
    for count in 0..<file.count {
      let stage = previews.last?.preview.stage ?? 0
      if let preview = try decoder.preview(file.prefix(count), after: stage, options: DecodingOptions()) {
        previews.append((count, preview))
      }
    }
    #expect(previews.count == 1)
    let first = try #require(previews.first)
    #expect(first.count < file.count * 3 / 4 && first.preview.image.isPartial)
    #expect(first.preview.image.bitmap.largestDifference(to: whole) == 0)
  }

  @Test(arguments: ["still.gif", "interlaced.gif", "lossy.webp", "alpha-lossless.webp"])
  func `a still image in a format of animations has no preview`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    let decoder = try #require(try FormatFixture.decoder(name) as? any ProgressiveImageDecoder)
    for count in 0..<file.count {
      #expect(try decoder.preview(file.prefix(count), after: 0, options: DecodingOptions()) == nil)
    }
  }
}

extension ImagePreview? {
  static func == (preview: Self, nothing: Never?) -> Bool {
    if case .none = preview { true } else { false }
  }
}
