/// How often the colours of a picture occur, with five bits a channel once there are too many to count exactly.
struct GIFColorHistogram {
  /// A colour and how often it occurs.
  struct Entry {
    var color: SIMD3<Int>
    var count: Int
  }

  /// The fewest alpha that counts as opaque.
  static let leastAlpha: UInt8 = 128

  /// All colours where there are at most 255, which a palette holds exactly.
  private(set) var exact: Set<UInt32>? = []
  private(set) var hasTransparency = false
  private var sums: [SIMD3<Int>]
  private var counts: [Int]

  /// - Parameter pixels: Straight RGBA, four bytes a pixel.
  init(_ pixels: [UInt8]) {
    sums = Array(repeating: .zero, count: 1 << 15)
    counts = Array(repeating: 0, count: 1 << 15)
    for start in stride(from: 0, to: pixels.count, by: 4) {
      guard pixels[start + 3] >= Self.leastAlpha else {
        hasTransparency = true
        continue
      }
      add(SIMD3(Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2])))
    }
  }

  /// The place of a colour among the 32,768 that are told apart.
  static func bin(_ color: SIMD3<Int>) -> Int { (color.x >> 3) << 10 | (color.y >> 3) << 5 | color.z >> 3 }

  /// The mean colour of each place that occurs.
  var entries: [Entry] {
    counts.indices.filter { counts[$0] > 0 }.map { Entry(color: sums[$0] / counts[$0], count: counts[$0]) }
  }

  private mutating func add(_ color: SIMD3<Int>) {
    let bin = Self.bin(color)
    sums[bin] &+= color
    counts[bin] += 1
    exact?.insert(UInt32(color.x << 16 | color.y << 8 | color.z))
    if let exact, exact.count > GIFPalette.colorLimit { self.exact = nil }
  }
}
