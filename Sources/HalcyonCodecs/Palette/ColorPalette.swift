/// A colour table: all colours of an image, or a selection by variance (Wan, Wong and Prusinkiewicz, 1988), refined by
/// k-means.
///
/// Colours are premultiplied, so that nearly transparent pixels count little.
struct ColorPalette {
  private static let refinementCount = 2

  /// The colours, the most transparent first. A fully transparent one is used by transparent pixels only.
  let colors: [SIMD4<Int>]
  /// Whether every colour of the image is in the table.
  let isExact: Bool
  /// Whether the table was selected from all colours of the image, not from means of bins.
  let isFine: Bool
  /// Where the opaque colours begin.
  private let opaqueStart: Int

  /// - Parameters:
  ///   - pixels: Premultiplied RGBA, four bytes a pixel.
  ///   - colorLimit: The most colours; fewer than 2 are 2, and more than 256 are 256.
  init(_ pixels: UnsafeBufferPointer<UInt8>, colorLimit: Int) {
    let colorLimit = min(max(colorLimit, 2), 256)
    let histogram = ColorHistogram(pixels)
    let exact = histogram.colors(limit: colorLimit)
    let colors: [SIMD4<Int>]
    if let exact {
      colors = exact
    } else {
      let transparent = histogram.hasTransparency ? [SIMD4<Int>.zero] : []
      colors = transparent + Self.selection(of: histogram.entries, limit: colorLimit - transparent.count)
    }
    self.colors = colors.sorted { ($0.w, $0.x, $0.y, $0.z) < ($1.w, $1.x, $1.y, $1.z) }
    isExact = exact != nil
    isFine = histogram.isExact
    opaqueStart = self.colors.firstIndex { $0.w == 255 } ?? self.colors.count
  }

  /// Whether there are transparent pixels, whose index is 0.
  var hasTransparency: Bool { colors.first?.w == 0 }

  /// The bits per index, 1 to 8.
  var bitCount: Int { max(1, Int.bitWidth - max(1, colors.count - 1).leadingZeroBitCount) }

  /// The index of the nearest colour: an opaque one of opaque pixels, if there is one.
  func index(of color: SIMD4<Int>) -> Int {
    let isOpaque = color.w == 255 && opaqueStart < colors.count
    let start = isOpaque ? opaqueStart : hasTransparency && color.w > 0 ? min(1, colors.count - 1) : 0
    return Self.index(of: color, in: colors, from: start)
  }

  private static func index(of color: SIMD4<Int>, in colors: [SIMD4<Int>], from start: Int = 0) -> Int {
    var (best, bestDistance) = (start, Int.max)
    for index in start..<colors.count {
      let (x, y, z) = (colors[index].x - color.x, colors[index].y - color.y, colors[index].z - color.z)
      let w = colors[index].w - color.w
      let distance = x * x + y * y + z * z + w * w
      if distance < bestDistance { (best, bestDistance) = (index, distance) }
    }
    return best
  }

  /// Splits the box whose colours vary most, until there are enough boxes.
  private static func selection(of entries: [ColorHistogram.Entry], limit: Int) -> [SIMD4<Int>] {
    var boxes = [ColorBox(entries)]
    while boxes.count < limit, let widest = boxes.indices.max(by: { boxes[$0].variation < boxes[$1].variation }),
      let (low, high) = boxes[widest].halves
    {
      boxes[widest] = low
      boxes.append(high)
    }
    return refined(boxes.map(\.mean), for: entries)
  }

  /// One k-means step: each entry becomes the mean of its nearest colours.
  private static func refined(_ colors: [SIMD4<Int>], for entries: [ColorHistogram.Entry]) -> [SIMD4<Int>] {
    var colors = colors
    for _ in 0..<refinementCount {
      var means = [ColorMean](repeating: ColorMean(), count: colors.count)
      for entry in entries { means[index(of: entry.color, in: colors)].add(entry) }
      for (index, mean) in means.enumerated() where mean.count > 0 { colors[index] = mean.color }
    }
    return colors
  }
}

/// The mean of colours.
private struct ColorMean {
  private(set) var count = 0
  private(set) var sum = SIMD4<Int>.zero
  private var opaqueCount = 0

  mutating func add(_ entry: ColorHistogram.Entry) {
    count += entry.count
    sum &+= entry.color &* SIMD4(repeating: entry.count)
    if entry.color.w == 255 { opaqueCount += entry.count }
  }

  /// The mean; opaque if most pixels are.
  var color: SIMD4<Int> {
    var color = (sum &+ SIMD4(repeating: count / 2)) / max(1, count)
    if opaqueCount * 2 > count { color.w = 255 }
    return color
  }
}

/// Some colours of a histogram.
private struct ColorBox {
  private let entries: [ColorHistogram.Entry]
  private var total = ColorMean()
  /// The sum of the squared distances to the mean, for each channel.
  private let variations: SIMD4<Double>

  init(_ entries: [ColorHistogram.Entry]) {
    self.entries = entries
    var squares = SIMD4<Int>.zero
    for entry in entries {
      total.add(entry)
      squares &+= entry.color &* entry.color &* SIMD4(repeating: entry.count)
    }
    variations =
      SIMD4<Double>(squares) - SIMD4<Double>(total.sum) * SIMD4<Double>(total.sum) / Double(max(1, total.count))
  }

  var mean: SIMD4<Int> { total.color }

  /// How much its colours vary; 0 for one that cannot be split.
  var variation: Double { entries.count > 1 ? variations.sum() : 0 }

  /// The box split in the channel that varies most, at the value with the least total variation of both parts; `nil`
  /// for a single colour.
  var halves: (ColorBox, ColorBox)? {
    guard entries.count > 1 else { return nil }
    let axis = (0..<4).max { variations[$0] < variations[$1] } ?? 0
    let sorted = entries.sorted { $0.color[axis] < $1.color[axis] }
    var low = ColorMean()
    var (best, bestIndex) = (-1.0, 1)
    for index in 1..<sorted.count {
      low.add(sorted[index - 1])
      let (below, above) = (SIMD4<Double>(low.sum), SIMD4<Double>(total.sum &- low.sum))
      let explained = (below * below / Double(low.count) + above * above / Double(total.count - low.count)).sum()
      if explained > best { (best, bestIndex) = (explained, index) }
    }
    return (ColorBox(Array(sorted[..<bestIndex])), ColorBox(Array(sorted[bestIndex...])))
  }
}

extension SIMD4<Int> {
  init(packed color: UInt32) {
    self.init(Int(color & 255), Int(color >> 8 & 255), Int(color >> 16 & 255), Int(color >> 24))
  }

  var packed: UInt32 { UInt32(x) | UInt32(y) << 8 | UInt32(z) << 16 | UInt32(w) << 24 }

  static func / (sum: SIMD4<Int>, count: Int) -> SIMD4<Int> { sum / SIMD4(repeating: count) }
}
