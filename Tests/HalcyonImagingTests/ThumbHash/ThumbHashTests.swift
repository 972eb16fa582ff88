import HalcyonImaging
import Foundation
import HalcyonTestTraits
import Testing

/// The vectors come from the Python port of the published algorithm (thumbhash 0.1.2), corrected where it deviates from
/// the original: in the handling of alpha, in the cosines, and in rounding halves up.
@Suite(.unitTest)
struct ThumbHashTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var width: Int
    var height: Int
    var hash: String
    var aspectRatio: Double
    /// Columns and rows, with the colour and alpha of the decoded pixel.
    var pixels: [(x: Int, y: Int, color: [Int])]
    var color: @Sendable (Int, Int) -> (Int, Int, Int, Int)

    var testDescription: String { name }

    var bitmap: Bitmap {
      get throws {
        try Bitmap(size: PixelSize(width: width, height: height), isOpaque: false) { bytes in
          for y in 0..<height {
            for x in 0..<width {
              let (red, green, blue, alpha) = color(x, y)
              let start = (y * width + x) * 4
              for (index, value) in [red, green, blue].enumerated() {
                bytes[start + index] = alpha == 0 ? 0 : UInt8(value)
              }
              bytes[start + 3] = UInt8(alpha)
            }
          }
        }
      }
    }
  }

  private static let samples = [
    Sample(
      name: "landscape", width: 20, height: 10, hash: "18e9091c8a408598717888988678180a88f49c", aspectRatio: 1.75,
      pixels: [
        (0, 0, [54, 0, 31, 255]), (31, 0, [114, 123, 68, 255]), (16, 9, [121, 124, 63, 255]),
        (0, 17, [39, 142, 56, 255]), (31, 17, [102, 151, 157, 255]),
      ], color: { (curve($0, $1), slope($0, $1), product($0, $1), 255) }),
    Sample(
      name: "portrait", width: 10, height: 21, hash: "d8f809230a506159877688894a0b0495e6", aspectRatio: 3.0 / 7,
      pixels: [
        (0, 0, [0, 26, 29, 255]), (13, 0, [160, 67, 77, 255]), (7, 16, [131, 157, 81, 255]),
        (0, 31, [75, 102, 63, 255]), (13, 31, [128, 74, 182, 255]),
      ], color: { (curve($0, $1), slope($0, $1), product($0, $1), 255) }),
    Sample(
      name: "square", width: 50, height: 50, hash: "dd180a571a7f787781877777776778787777c7f7788f7808", aspectRatio: 1,
      pixels: [
        (0, 0, [227, 66, 0, 255]), (31, 0, [0, 82, 0, 255]), (16, 16, [130, 142, 102, 255]),
        (0, 31, [233, 72, 185, 255]), (31, 31, [13, 133, 213, 255]),
      ], color: { (255 - $0 * 5, ($0 * $1 * 7) % 256, $1 * 4, 255) }),
    Sample(
      name: "transparent corner", width: 20, height: 11,
      hash: "1cd9851b862c8262d08bc65d0e26c1ef50993286889879", aspectRatio: 5.0 / 3,
      pixels: [
        (0, 0, [114, 108, 72, 76]), (31, 0, [113, 124, 64, 222]), (16, 9, [119, 138, 77, 241]),
        (0, 18, [59, 150, 58, 222]), (31, 18, [132, 118, 183, 255]),
      ], color: { (curve($0, $1), slope($0, $1), product($0, $1), $0 < 8 && $1 < 6 ? 0 : 255) }),
  ]

  private static func curve(_ x: Int, _ y: Int) -> Int { (x * x * 3 + y * 5) % 256 }
  private static func slope(_ x: Int, _ y: Int) -> Int { (y * y * 2 + x * 7 + 9) % 256 }
  private static func product(_ x: Int, _ y: Int) -> Int { (x * y + 31) % 256 }

  @Test(arguments: samples)
  func `an image has the hash of the reference implementation`(sample: Sample) throws {
    let hash = ThumbHash(try sample.bitmap)
    #expect(hash.bytes.map { String(format: "%02x", $0) }.joined() == sample.hash)
    #expect(abs(hash.aspectRatio - sample.aspectRatio) < 1e-9)
    #expect(ThumbHash(bytes: hash.bytes) == hash)
    #expect(hash.hasAlpha == (sample.name == "transparent corner"))
  }

  @Test(arguments: samples)
  func `a hash decodes to the pixels of the reference implementation`(sample: Sample) throws {
    let bitmap = try ThumbHash(sample.bitmap).bitmap()
    for (x, y, expected) in sample.pixels {
      let pixel = bitmap[x, y]
      let alpha = Double(pixel.alpha) / 255
      let colors = [pixel.red, pixel.green, pixel.blue].map { Double($0) }
      for (value, reference) in zip(colors, expected) {
        #expect(abs(value - Double(reference) * alpha) <= 1.01, "at \(x),\(y)")
      }
      #expect(abs(Int(pixel.alpha) - expected[3]) <= 1)
    }
  }

  @Test func `a large image has nearly the same hash as its small copy`() throws {
    func wave(_ width: Int, _ height: Int) throws -> Bitmap {
      try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { bytes in
        for y in 0..<height {
          for x in 0..<width {
            let start = (y * width + x) * 4
            bytes[start] = UInt8(255 * x / width)
            bytes[start + 1] = UInt8(255 * y / height)
            bytes[start + 2] = 90
            bytes[start + 3] = 255
          }
        }
      }
    }
    let (large, small) = (try ThumbHash(wave(2000, 1000)).bitmap(), try ThumbHash(wave(80, 40)).bitmap())
    #expect(large.size == small.size)
    var difference = 0
    for x in 0..<large.size.width {
      for y in 0..<large.size.height {
        difference += abs(Int(large[x, y].red) - Int(small[x, y].red))
        difference += abs(Int(large[x, y].green) - Int(small[x, y].green))
      }
    }
    #expect(difference / (2 * large.size.width * large.size.height) < 12)
  }

  @Test func `a solid image decodes to a solid image of its colour`() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 640, height: 480), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = [200, 100, 50, 255][index % 4] }
    }
    let hash = ThumbHash(bitmap)
    let decoded = try hash.bitmap()
    let color = decoded[0, 0]
    #expect(abs(Int(color.red) - 200) < 5 && abs(Int(color.green) - 100) < 5 && abs(Int(color.blue) - 50) < 5)
    #expect(decoded.isOpaque)
    #expect(decoded[0, 0] == decoded[decoded.size.width - 1, decoded.size.height - 1])
  }

  @Test(arguments: [(1, 1), (1, 5000), (5000, 1), (101, 1), (2, 3)])
  func `images of any aspect ratio have a hash`(width: Int, height: Int) throws {
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height), isOpaque: false) { _ in }
    let hash = ThumbHash(bitmap)
    #expect(ThumbHash(bytes: hash.bytes) == hash)
    #expect(try hash.bitmap()[0, 0].alpha == 0)
  }

  @Test func `invalid bytes are rejected, and every valid hash can be decoded`() throws {
    let whole = ThumbHash(try Self.samples[3].bitmap).bytes
    for count in 0..<whole.count { #expect(ThumbHash(bytes: whole.prefix(count)) == nil) }
    #expect(ThumbHash(bytes: whole + [0]) == nil)
    for index in whole.indices {
      for value: UInt8 in [0, 1, 2, 7, 0x0F, 0x7F, 0x80, 0xFF] {
        var bytes = whole
        bytes[index] = value
        // Only the header decides what is read.
        if let hash = ThumbHash(bytes: bytes), index < 6 { _ = try hash.bitmap() }
      }
    }
  }

  @Test func `a hash is written and read as text`() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 30, height: 20), isOpaque: true) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index) | (index % 4 == 3 ? 255 : 0) }
    }
    let hash = ThumbHash(bitmap)
    #expect(ThumbHash(hash.text) == hash && hash.text.count <= 36)
    #expect(ThumbHash("no hash") == nil && ThumbHash("") == nil)
  }
}
