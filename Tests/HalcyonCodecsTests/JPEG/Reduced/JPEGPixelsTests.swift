#if !IMAGEIO
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Areas of JPEG files that are decoded without libjpeg.
@Suite(.integrationTest)
struct JPEGPixelsTests {
  private static let names = ["default", "default-restarts", "grayscale", "s1x1-444", "s2x1-422"]

  /// Areas of an image from its end to its start, and again, at odd places.
  private static func areas(of size: PixelSize) -> [PixelArea] {
    let odd = (0..<10).reversed().map { index in
      let part = PixelSize(width: 1 + index * 67 % size.width, height: 1 + index * 31 % size.height)
      return PixelArea(
        left: index * 59 % (size.width - part.width + 1), top: index * 71 % (size.height - part.height + 1), size: part)
    }
    return odd + [PixelArea(size: size)] + odd
  }

  private func expectPixels(of file: Data, index: JPEGIndex? = nil) throws {
    let whole = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
    try ReducedPlanes.with(file) { file in
      var file = file
      file.index = index
      for area in Self.areas(of: whole.size) {
        let pixels = try #require(try file.pixels(of: area))
        #expect(try pixels.largestDifference(to: whole.with(BitmapGeometry(area))) == 0, "\(area)")
      }
    }
  }

  @Test(arguments: names)
  func `an area has the pixels of libjpeg`(_ name: String) throws {
    try expectPixels(of: Fixture.data("jpeg/peacock.\(name).jpeg"))
  }

  @Test func `the sampling factors of the only component mean nothing`() throws {
    let file = try Fixture.data("jpeg/peacock.grayscale.jpeg")
    var other = file
    other[try #require(file.firstRange(of: Data([0xFF, 0xC0]))).lowerBound + 11] = 0x22
    try expectPixels(of: other)
    for scale in [JPEGScale.eighth, .half] {
      #expect(try ReducedPlanes.own(other, scale: scale) == ReducedPlanes.own(file, scale: scale))
    }
  }

  @Test(arguments: [false, true])
  func `decoding begins at known places`(hasRestarts: Bool) throws {
    let index = JPEGIndex()
    let file =
      hasRestarts
      ? try Fixture.data("jpeg/peacock.default-restarts.jpeg")
      : try JPEGEncoder().encode(Bitmap.noise(457, 333), options: EncodingOptions(quality: 1))
    try expectPixels(of: file, index: index)
    let last = try #require(index.place(before: .max))
    #expect(last.unit > 0 && last.offset > 0 && index.place(before: last.unit - 1)?.unit ?? 0 < last.unit)
    #expect(index.place(before: -1) == nil)
  }

  @Test func `intervals of restart markers before an area are not read`() throws {
    var file = try Fixture.data("jpeg/peacock.default-restarts.jpeg")
    let whole = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
    let area = PixelArea(left: 20, top: whole.size.height - 30, width: 40, height: 30)
    let marker = try #require(file.firstRange(of: Data([0xFF, 0xD0])))
    file.replaceSubrange(marker.lowerBound - 9..<marker.lowerBound - 1, with: [UInt8](repeating: 0, count: 8))
    let pixels = try #require(try ReducedPlanes.with(file) { try $0.pixels(of: area) })
    #expect(try pixels.largestDifference(to: whole.with(BitmapGeometry(area))) == 0)
    #expect(try ReducedPlanes.with(file) { try $0.pixels(of: PixelArea(size: whole.size)) } == nil)
  }

  /// A grey file of 200x200 blocks with a restart marker in the middle: the first half has the level 136, the second 128.
  private func greyFile() -> Data {
    let (bright, dark) = (Data([0b1010_0000]) + Data(count: 5000), Data(count: 5000))
    return FileSurgery.greyJPEG(
      PixelSize(width: 1600, height: 1600), scan: bright + [0xFF, 0xD0] + dark, restartInterval: 20_000)
  }

  @Test func `decoding that begins inside an interval goes on after its restart marker`() throws {
    let index = JPEGIndex()
    try ReducedPlanes.with(greyFile()) { file in
      var file = file
      file.index = index
      // The first area ends before the marker, so that only a place inside the interval is known.
      for (top, last) in [(700, 136), (780, 128)] {
        let pixels = try file.pixels(of: PixelArea(left: 0, top: top, width: 40, height: 60))
        #expect(pixels?.color(20, 15) == Color(136, 136, 136, 255))
        #expect(pixels?.color(20, 50) == Color(last, last, last, 255))
      }
    }
    #expect(index.place(before: 19_000)?.unit ?? 0 > 0)
  }

  @Test(arguments: [0, 5_000_000, 6_999_999])
  func `files that differ in a byte have places of their own`(offset: Int) throws {
    let indexes = JPEGIndexes()
    var file = Data(count: 7_000_000)
    let first = try #require(file.withUnsafeBytes { indexes.index(of: $0) })
    #expect(file.withUnsafeBytes { indexes.index(of: $0) } === first)
    file[offset] = 1
    #expect(file.withUnsafeBytes { indexes.index(of: $0) } !== first)
  }

  @Test(arguments: [(5, 1), (6, 40), (17, 33), (65, 3), (129, 127)], [0.3, 0.89, 1])
  func `files of every size and quality have the pixels of libjpeg`(
    _ size: (width: Int, height: Int), _ quality: Double
  ) throws {
    for bitmap in [try Bitmap.noise(size.width, size.height), try Bitmap.gradient(size.width, size.height)] {
      try expectPixels(of: JPEGEncoder().encode(bitmap, options: EncodingOptions(quality: quality)))
    }
  }

  @Test(arguments: ["progressive", "made-440", "made-411", "made-410"])
  func `libjpeg decodes areas of other files`(_ name: String) throws {
    let file = try Fixture.data("jpeg/peacock.\(name).jpeg")
    let pixels = try ReducedPlanes.with(file) { try $0.pixels(of: PixelArea(size: PixelSize(width: 9, height: 9))) }
    #expect(pixels == nil)
  }

  @Test(arguments: [0.5, 1], [JPEGScale.eighth, .quarter, .half])
  func `a part has the samples of the whole`(_ quality: Double, _ scale: JPEGScale) throws {
    let file = try JPEGEncoder().encode(Bitmap.noise(457, 333), options: EncodingOptions(quality: quality))
    let whole = try #require(try ReducedPlanes.own(file, scale: scale))
    let size = whole.planes[0].size
    let area = PixelArea(left: 32, top: 0, width: size.width - 32, height: 32)
    let part = try #require(
      try ReducedPlanes.with(file) { file in
        try file.reducedPlanes(JPEGPart(scale: scale, area: area, readsToEnd: false)).map { try ReducedPlanes($0) }
      })
    for (plane, all) in zip(part.planes, whole.planes) {
      let left = area.left * all.size.width / size.width
      for row in 0..<plane.size.height {
        for column in 0..<plane.size.width { try #require(plane[column, row] == all[left + column, row]) }
      }
    }
  }
}
#endif
