/// The colours with which a picture is drawn: all of its own, or those that median cut finds (Heckbert, 1982).
struct GIFPalette {
  /// One place is left for transparency.
  static let colorLimit = 255

  let colors: [SIMD3<Int>]
  /// Whether every colour of the picture is among them.
  let isExact: Bool
  /// The index of what is transparent, where something is.
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

  /// Bits of an index, 1 to 8.
  var bitCount: Int {
    let count = colors.count + (transparentIndex == nil ? 0 : 1)
    return max(1, Int.bitWidth - max(1, count - 1).leadingZeroBitCount)
  }

  /// The nearest colour.
  func index(of color: SIMD3<Int>) -> Int {
    var (best, bestDistance) = (0, Int.max)
    for (index, candidate) in colors.enumerated() {
      let difference = candidate &- color
      let distance = (difference &* difference).wrappedSum()
      if distance < bestDistance { (best, bestDistance) = (index, distance) }
    }
    return best
  }

  /// Cuts the box with the widest spread in two at its median, until there are enough.
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
