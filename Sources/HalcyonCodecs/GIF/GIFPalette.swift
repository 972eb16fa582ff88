import HalcyonImaging
import HalcyonSupport

/// The colour table of a frame: all of its colours, or a selection by median cut (Heckbert, 1982).
struct GIFPalette {
  /// One of the 256 entries is reserved for transparency.
  static let colorLimit = 255

  let colors: [SIMD3<Int>]
  /// Whether every colour of the frame is in the table.
  let isExact: Bool
  /// The index of transparent pixels, if there are any.
  let transparentIndex: Int?

  init(_ pixels: [UInt8]) {
    let histogram = GIFColorHistogram(pixels)
    if let exact = histogram.exact {
      colors = exact.sorted().map { SIMD3(Int($0 >> 16), Int($0 >> 8 & 255), Int($0 & 255)) }
      isExact = true
    } else {
      colors = Self.medianCut(histogram.entries)
      isExact = false
    }
    transparentIndex = histogram.hasTransparency ? colors.count : nil
  }

  /// The bits per index, 1 to 8.
  var bitCount: Int {
    let count = colors.count + (transparentIndex == nil ? 0 : 1)
    return max(1, Int.bitWidth - max(1, count - 1).leadingZeroBitCount)
  }

  /// The index of the nearest colour.
  func index(of color: SIMD3<Int>) -> Int {
    var (best, bestDistance) = (0, Int.max)
    for (index, candidate) in colors.enumerated() {
      let difference = candidate &- color
      let distance = (difference &* difference).wrappedSum()
      if distance < bestDistance { (best, bestDistance) = (index, distance) }
    }
    return best
  }

  /// Splits the box with the widest spread at its median, until there are enough boxes.
  private static func medianCut(_ entries: [GIFColorHistogram.Entry]) -> [SIMD3<Int>] {
    var boxes = [entries]
    while boxes.count < colorLimit, let widest = boxes.indices.max(by: { spread(boxes[$0]) < spread(boxes[$1]) }),
      boxes[widest].count > 1
    {
      let (low, high) = halves(boxes[widest])
      boxes[widest] = low
      boxes.append(high)
    }
    return boxes.map(mean)
  }

  private static func range(_ box: [GIFColorHistogram.Entry]) -> SIMD3<Int> {
    let low = box.reduce(SIMD3(repeating: 255)) { pointwiseMin($0, $1.color) }
    return box.reduce(SIMD3(repeating: 0)) { pointwiseMax($0, $1.color) } &- low
  }

  private static func spread(_ box: [GIFColorHistogram.Entry]) -> Int {
    box.count < 2 ? -1 : range(box).max() * box.reduce(0) { $0 + $1.count }
  }

  private static func halves(
    _ box: [GIFColorHistogram.Entry]
  ) -> ([GIFColorHistogram.Entry], [GIFColorHistogram.Entry]) {
    let range = range(box)
    let axis = (0..<3).max { range[$0] < range[$1] } ?? 0
    let sorted = box.sorted { $0.color[axis] < $1.color[axis] }
    let half = sorted.reduce(0) { $0 + $1.count } / 2
    var (index, count) = (0, 0)
    while count <= half, index < sorted.count - 1 {
      count += sorted[index].count
      index += 1
    }
    return (Array(sorted[..<index]), Array(sorted[index...]))
  }

  private static func mean(_ box: [GIFColorHistogram.Entry]) -> SIMD3<Int> {
    let count = box.reduce(0) { $0 + $1.count }
    return box.reduce(SIMD3<Int>.zero) { $0 &+ $1.color &* SIMD3(repeating: $1.count) } / max(1, count)
  }
}

extension SIMD3<Int> {
  fileprivate static func / (sum: SIMD3<Int>, count: Int) -> SIMD3<Int> { sum / SIMD3(repeating: count) }
}

/// Maps the pixels of a frame to a palette; unless the palette is exact, the error of each pixel is diffused to its
/// neighbours (Floyd and Steinberg, 1976).
struct GIFDithering {
  private let palette: GIFPalette
  /// The nearest index for each histogram bin, filled on first use; -1 if not known yet.
  private var nearest = [Int](repeating: -1, count: 1 << 15)
  /// The indices of the colours of an exact palette.
  private var exact: [SIMD3<Int>: Int] = [:]

  init(_ palette: GIFPalette) {
    self.palette = palette
    if palette.isExact { for (index, color) in palette.colors.enumerated() { exact[color] = index } }
  }

  /// - Parameter pixels: Straight RGBA, four bytes a pixel.
  mutating func indices(_ pixels: [UInt8], size: PixelSize) throws -> [UInt8] {
    var indices = [UInt8](repeating: 0, count: size.pixelCount)
    // In sixteenths; one extra element on both sides, so that borders are not a special case.
    var errors = [SIMD3<Int>](repeating: .zero, count: size.width + 2)
    for row in 0..<size.height {
      try CancellationFlag.checkCurrent(atRow: row)
      var below = [SIMD3<Int>](repeating: .zero, count: size.width + 2)
      for column in 0..<size.width {
        let pixel = row * size.width + column
        guard pixels[pixel * 4 + 3] >= GIFColorHistogram.alphaThreshold else {
          indices[pixel] = UInt8(palette.transparentIndex ?? 0)
          continue
        }
        let stored = SIMD3(Int(pixels[pixel * 4]), Int(pixels[pixel * 4 + 1]), Int(pixels[pixel * 4 + 2]))
        let wanted = clamped(stored &+ errors[column + 1] &>> SIMD3(repeating: 4))
        let index = index(of: wanted)
        indices[pixel] = UInt8(index)
        guard !palette.isExact else { continue }
        let error = wanted &- palette.colors[index]
        errors[column + 2] &+= error &* SIMD3(repeating: 7)
        below[column] &+= error &* SIMD3(repeating: 3)
        below[column + 1] &+= error &* SIMD3(repeating: 5)
        below[column + 2] &+= error
      }
      errors = below
    }
    return indices
  }

  private func clamped(_ color: SIMD3<Int>) -> SIMD3<Int> {
    color.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
  }

  private mutating func index(of color: SIMD3<Int>) -> Int {
    guard !palette.isExact else { return exact[color] ?? 0 }
    let bin = GIFColorHistogram.bin(color)
    if nearest[bin] < 0 { nearest[bin] = palette.index(of: color) }
    return nearest[bin]
  }
}

/// A histogram of the colours of a frame, in bins of five bits per channel.
private struct GIFColorHistogram {
  /// A colour and the number of its pixels.
  struct Entry {
    var color: SIMD3<Int>
    var count: Int
  }

  /// The smallest alpha that counts as opaque.
  static let alphaThreshold: UInt8 = 128

  /// The distinct colours, or `nil` if there are more than 255.
  private(set) var exact: Set<UInt32>? = []
  private(set) var hasTransparency = false
  private var sums: [SIMD3<Int>]
  private var counts: [Int]

  /// - Parameter pixels: Straight RGBA, four bytes a pixel.
  init(_ pixels: [UInt8]) {
    sums = Array(repeating: .zero, count: 1 << 15)
    counts = Array(repeating: 0, count: 1 << 15)
    for start in stride(from: 0, to: pixels.count, by: 4) {
      guard pixels[start + 3] >= Self.alphaThreshold else {
        hasTransparency = true
        continue
      }
      add(SIMD3(Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2])))
    }
  }

  /// The bin of a colour, one of 32,768.
  static func bin(_ color: SIMD3<Int>) -> Int { (color.x >> 3) << 10 | (color.y >> 3) << 5 | color.z >> 3 }

  /// The mean colour of each bin that is not empty.
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
