import HalcyonSupport

/// Removes borders of a colour, as libvips' `find_trim` does: noise of single pixels does not end a border.
package struct TrimProcessor: GeometryProcessor {
  fileprivate let threshold: Double
  fileprivate let color: PixelColor?
  private let equalHorizontally, equalVertically: Bool

  /// - Parameters:
  ///   - threshold: How far a component of a border may be from its colour, 0 to 255.
  ///   - color: The colour of borders; `nil` for the colour of the upper left pixel.
  ///   - equalHorizontally: Whether as much is removed on the left as on the right.
  ///   - equalVertically: Whether as much is removed above as below.
  package init(
    threshold: Double, color: PixelColor? = nil, equalHorizontally: Bool = false, equalVertically: Bool = false
  ) {
    (self.threshold, self.color) = (threshold, color)
    (self.equalHorizontally, self.equalVertically) = (equalHorizontally, equalVertically)
  }

  package var identifier: String {
    ProcessorIdentity("trim").adding(threshold).adding(text: color?.description ?? "corner")
      .adding(text: "\(equalHorizontally)").adding(text: "\(equalVertically)").text
  }

  package func geometry(of bitmap: Bitmap) throws -> BitmapGeometry? {
    try (0...255).check(threshold, "trimming threshold")
    guard let area = try area(of: bitmap), area.size != bitmap.size else { return nil }
    return BitmapGeometry(area)
  }

  /// The part without borders; `nil` if there is nothing else.
  package func area(of bitmap: Bitmap) throws -> PixelArea? {
    let bitmap = try bitmap.inStandardRange()
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    var (left, right, top, bottom) = (width, -1, height, -1)
    try bitmap.withUnsafeBytes { bytes in
      var rows = DifferingRows(bitmap, bytes, self)
      for y in 0..<height {
        try CancellationFlag.checkCurrent(atRow: y)
        guard let columns = rows.differing(y) else { continue }
        (left, right) = (min(left, columns.lowerBound), max(right, columns.upperBound))
        (top, bottom) = (min(top, y), y)
      }
    }
    guard bottom >= 0 else { return nil }
    var area = PixelArea(left: left, top: top, width: right - left + 1, height: bottom - top + 1)
    if equalHorizontally {
      area.left = min(left, width - 1 - right)
      area.width = width - 2 * area.left
    }
    if equalVertically {
      area.top = min(top, height - 1 - bottom)
      area.height = height - 2 * area.top
    }
    return area
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Removes borders of one colour. An image that is nothing but border stays as it is.
  ///
  /// Noise of single pixels does not end a border. Reads every pixel.
  ///
  /// - Parameters:
  ///   - threshold: How far a component of a border may be from its colour, 0 to 255.
  ///   - color: The colour of borders; transparent pixels count as magenta. Default: `nil`, the colour of the upper left
  ///     pixel.
  public static func trim(threshold: Double = 10, color: PixelColor? = nil) -> Self {
    BuiltInProcessor(TrimProcessor(threshold: threshold, color: color))
  }
}

/// Finds the pixels whose median with their eight neighbours differs from the background by more than the threshold: at
/// least five of the nine differ, all above or all below.
private struct DifferingRows {
  private let size: PixelSize
  private let bytesPerRow: Int
  private let bytes: UnsafeRawBufferPointer
  /// The least and the greatest component of each channel that does not differ.
  private let limits: [ClosedRange<Int>]
  /// For each pixel of a row, which channels are above and which are below: a bit in each of six groups of four.
  private var rows: [Int: [UInt32]] = [:]

  init(_ bitmap: Bitmap, _ bytes: UnsafeRawBufferPointer, _ processor: TrimProcessor) {
    (size, bytesPerRow, self.bytes) = (bitmap.size, bitmap.bytesPerRow, bytes)
    let corner = bitmap[0, 0]
    let rest = 255 - Int(corner.alpha)
    let background =
      processor.color.map { [Int($0.red), Int($0.green), Int($0.blue)] }
      ?? [Int(corner.red) + rest, Int(corner.green), Int(corner.blue) + rest]
    let threshold = Int(processor.threshold)
    limits = background.map { $0 - threshold...$0 + threshold }
  }

  /// The first and the last column of a row that differ.
  mutating func differing(_ y: Int) -> ClosedRange<Int>? {
    rows[y - 2] = nil
    let near = [max(y - 1, 0), y, min(y + 1, size.height - 1)].map { flags($0) }
    func column(_ x: Int) -> UInt32 {
      let x = min(max(x, 0), size.width - 1)
      return near[0][x] &+ near[1][x] &+ near[2][x]
    }
    var (first, last): (Int?, Int) = (nil, 0)
    var (before, current) = (column(-1), column(0))
    for x in 0..<size.width {
      let next = column(x + 1)
      // A group of at least five has its highest bit set with three more.
      if (before &+ current &+ next &+ 0x333333) & 0x888888 != 0 {
        first = first ?? x
        last = x
      }
      (before, current) = (current, next)
    }
    return first.map { $0...last }
  }

  private mutating func flags(_ y: Int) -> [UInt32] {
    if let known = rows[y] { return known }
    var flags = [UInt32](repeating: 0, count: size.width)
    for x in 0..<size.width {
      let start = y * bytesPerRow + x * 4
      // Transparent pixels are magenta, which hardly any border is.
      let rest = 255 - Int(bytes[start + 3])
      var flag: UInt32 = 0
      for channel in 0..<3 {
        let value = Int(bytes[start + channel]) + (channel == 1 ? 0 : rest)
        if value > limits[channel].upperBound { flag |= 1 << UInt32(8 * channel) }
        if value < limits[channel].lowerBound { flag |= 16 << UInt32(8 * channel) }
      }
      flags[x] = flag
    }
    rows[y] = flags
    return flags
  }
}
