/// The colours of an image and how often each occurs. Too many colours are counted as the means of bins, with six bits
/// per channel; in an image with translucent pixels with five bits, and translucent colours have bins of their own, in
/// seven levels of alpha.
struct ColorHistogram {
  /// A colour and the number of its pixels.
  struct Entry {
    var color: SIMD4<Int>
    var count: Int
  }

  /// The most colours that are counted one by one.
  private static let exactLimit = 1 << 14

  /// How often each colour occurs; `nil` if there are too many.
  private var exactCounts: [UInt32: Int]? = [:]
  private(set) var hasTransparency = false
  /// The bits of a channel in a bin.
  private let bits: Int
  private var sums: [SIMD4<Int>]
  private var counts: [Int]

  /// - Parameter pixels: Premultiplied RGBA, four bytes a pixel.
  init(_ pixels: UnsafeBufferPointer<UInt8>) {
    let isTranslucent = stride(from: 3, to: pixels.count, by: 4).contains { (1..<255).contains(pixels[$0]) }
    bits = isTranslucent ? 5 : 6
    let binCount = (isTranslucent ? 8 : 1) << (3 * bits)
    sums = Array(repeating: .zero, count: binCount)
    counts = Array(repeating: 0, count: binCount)
    for start in stride(from: 0, to: pixels.count, by: 4) {
      let color = SIMD4(
        Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2]), Int(pixels[start + 3]))
      if color.w > 0 {
        let bin = bin(color)
        sums[bin] &+= color
        counts[bin] += 1
      } else {
        hasTransparency = true
      }
      guard exactCounts != nil else { continue }
      exactCounts?[color.packed, default: 0] += 1
      if let count = exactCounts?.count, count > Self.exactLimit { exactCounts = nil }
    }
  }

  /// Whether all colours are counted one by one.
  var isExact: Bool { exactCounts != nil }

  /// The bin of a colour that is not transparent.
  private func bin(_ color: SIMD4<Int>) -> Int {
    let level = color.w == 255 ? 0 : 1 + color.w * 7 / 255
    let rest = 8 - bits
    return ((level << bits | color.x >> rest) << bits | color.y >> rest) << bits | color.z >> rest
  }

  /// The colours, if there are at most `limit`.
  func colors(limit: Int) -> [SIMD4<Int>]? {
    guard let exactCounts, exactCounts.count <= limit else { return nil }
    return exactCounts.keys.map(SIMD4.init(packed:))
  }

  /// All colours but the transparent one, in a fixed order.
  var entries: [Entry] {
    if let exactCounts {
      return exactCounts.filter { $0.key >> 24 > 0 }.sorted { $0.key < $1.key }.map {
        Entry(color: SIMD4(packed: $0.key), count: $0.value)
      }
    }
    return counts.indices.filter { counts[$0] > 0 }.map { Entry(color: sums[$0] / counts[$0], count: counts[$0]) }
  }
}
