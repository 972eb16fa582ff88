/// The colours of an image and how often each occurs, in bins of five bits per channel.
///
/// Opaque pixels, and translucent ones in seven levels of alpha, have bins of their own.
struct ColorHistogram {
  /// A colour and the number of its pixels.
  struct Entry {
    var color: SIMD4<Int>
    var count: Int
  }

  /// The distinct colours with 8 bits per channel, or `nil` if there are more than the limit.
  private(set) var exact: Set<UInt32>? = []
  private(set) var hasTransparency = false
  private var sums: [SIMD4<Int>]
  private var counts: [Int]

  /// - Parameter pixels: Premultiplied RGBA, four bytes a pixel.
  init(_ pixels: UnsafeBufferPointer<UInt8>, colorLimit: Int) {
    let isTranslucent = stride(from: 3, to: pixels.count, by: 4).contains { (1..<255).contains(pixels[$0]) }
    let binCount = Self.binCount(isTranslucent: isTranslucent)
    sums = Array(repeating: .zero, count: binCount)
    counts = Array(repeating: 0, count: binCount)
    var last: SIMD4<Int>?
    for start in stride(from: 0, to: pixels.count, by: 4) {
      let color = SIMD4(
        Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2]), Int(pixels[start + 3]))
      if color.w > 0 {
        sums[Self.bin(color)] &+= color
        counts[Self.bin(color)] += 1
      } else {
        hasTransparency = true
      }
      guard color != last, exact != nil else { continue }
      last = color
      exact?.insert(color.packed)
      if let exact, exact.count > colorLimit { self.exact = nil }
    }
  }

  static func binCount(isTranslucent: Bool) -> Int { (isTranslucent ? 8 : 1) << 15 }

  /// The bin of a colour that is not transparent.
  static func bin(_ color: SIMD4<Int>) -> Int {
    let level = color.w == 255 ? 0 : 1 + color.w * 7 / 255
    return level << 15 | (color.x >> 3) << 10 | (color.y >> 3) << 5 | color.z >> 3
  }

  /// The mean colour of each bin that is not empty.
  var entries: [Entry] {
    counts.indices.filter { counts[$0] > 0 }.map { Entry(color: sums[$0] / counts[$0], count: counts[$0]) }
  }
}
