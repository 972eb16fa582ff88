import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Hashes that the format's authors publish as samples; the pixels come from the Python port blurhash 1.1.4.
@Suite(.unitTest)
struct BlurHashTests {
  @Test(arguments: [
    (
      "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
      [[135, 164, 177], [137, 166, 181], [136, 144, 147], [133, 142, 147], [158, 125, 108]]
    ),
    (
      "LGF5]+Yk^6#M@-5c,1J5@[or[Q6.",
      [[176, 118, 163], [225, 84, 129], [171, 161, 88], [143, 97, 98], [107, 126, 130]]
    ),
    (
      "L6PZfSi_.AyE_3t7t7R**0o#DgR4",
      [[229, 228, 226], [227, 226, 222], [218, 217, 215], [217, 216, 213], [214, 205, 194]]
    ),
  ])
  func `published hashes have the pixels of another implementation`(text: String, expected: [[Int]]) throws {
    let hash = try #require(BlurHash(text))
    let bitmap = try hash.bitmap()
    #expect(bitmap.size == PixelSize(width: 32, height: 32))
    for ((x, y), color) in zip([(0, 0), (31, 0), (0, 31), (31, 31), (16, 16)], expected) {
      let pixel = bitmap[x, y]
      for (value, expected) in zip([pixel.red, pixel.green, pixel.blue], color) {
        #expect(abs(Int(value) - expected) <= 1)
      }
      #expect(pixel.alpha == 255)
    }
  }

  @Test func `the aspect ratio is that of the caller`() throws {
    let hash = try #require(BlurHash("LGF5]+Yk^6#M@-5c,1J5@[or[Q6."))
    let wide = try hash.bitmap(aspectRatio: 2)
    #expect(wide.size == PixelSize(width: 32, height: 16))
    for (color, pixel) in [([170, 161, 91], wide[0, 15]), ([140, 98, 102], wide[31, 15])] {
      for (value, expected) in zip([pixel.red, pixel.green, pixel.blue], color) {
        #expect(abs(Int(value) - expected) <= 1)
      }
    }
    #expect(try hash.bitmap(aspectRatio: 0.5).size == PixelSize(width: 16, height: 32))
    for ratio in [0, -1, .nan, .infinity, 1e-300] { #expect(try hash.bitmap(aspectRatio: ratio).size.pixelCount > 0) }
  }

  @Test func `a hash of one coefficient is its average colour`() throws {
    let hash = try #require(BlurHash("00FFFF"))
    #expect(hash.averageColor == PixelColor(red: 132, green: 119, blue: 184))
    #expect(try hash.bitmap()[5, 7].blue == 184)
  }

  @Test(arguments: [
    (40, 30, 4, 3, "LlGuj.2lSI,.mmWTa}jcdaf8fTfA"), (40, 30, 1, 1, "00Guj."), (40, 30, 0, -5, "00Guj."),
    (31, 80, 3, 5, "ceEWgq2mwtjDa^fOeAf5fRi_ayfSd[f7fS"), (1, 1, 4, 3, "L00000fQfQfQfQfQfQfQfQfQfQfQ"),
    (
      40, 30, 9, 9,
      """
      |lGuj.2lSI,.FF,:Jj$iN[mmWTa}jcb0jda~jca{daf8fTfAfSf5fOf5fPp,W=b0j?a^j=a}j^b0eBf9fSf4fOfAfTf5fNniWra_jrb0jva^jrb\
      0gZflfOfkfTfgfPfmfOm?WYa_jda_jYb0jXa}gIfjfOfmfNfmfOfkfR
      """
    ),
  ])
  func `an image has the hash of another implementation`(
    width: Int, height: Int, columns: Int, rows: Int, text: String
  ) throws {
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { bytes in
      for index in 0..<width * height {
        let (x, y) = (index % width, index / width)
        let color = [x * 7 % 256, y * 11 % 256, x * y % 256, 255]
        for channel in 0..<4 { bytes[index * 4 + channel] = UInt8(color[channel]) }
      }
    }
    #expect(BlurHash(bitmap, columns: columns, rows: rows).text == text)
  }

  @Test func `a transparent image has its mean colour, and a large one that of its samples`() throws {
    let half = try Bitmap(size: PixelSize(width: 3000, height: 20), isOpaque: false) { bytes in
      for index in stride(from: 0, to: bytes.count, by: 4) where index / 4 % 3000 < 1500 {
        (bytes[index], bytes[index + 3]) = (200, 255)
      }
    }
    #expect(BlurHash(half).averageColor == PixelColor(red: 200, green: 0, blue: 0))
    let empty = try Bitmap(size: PixelSize(width: 2, height: 2), isOpaque: false) { _ in }
    #expect(BlurHash(empty).averageColor == .black)
  }

  @Test(arguments: [
    "", "00FFF", "00FFFFF", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdnjj", "0 FFFF", "00FFF\u{E9}",
    "00~~~~", "~0FFFF",
  ])
  func `invalid hashes are refused`(text: String) {
    #expect(BlurHash(text) == nil)
  }

  @Test func `the largest hash is decoded, and a long text is refused without reading it`() throws {
    let hash = try #require(BlurHash("|~" + String(repeating: "0", count: 4) + String(repeating: "~", count: 160)))
    #expect(try hash.bitmap().size.width == 32)
    #expect(BlurHash(String(repeating: "L", count: 10_000_000)) == nil)
  }
}
