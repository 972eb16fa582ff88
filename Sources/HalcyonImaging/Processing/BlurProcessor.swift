import HalcyonSupport

/// Blurs with a Gaussian, approximated by three box filters in each direction.
///
/// Every value is within 4 of 255 of a true Gaussian for a radius of at least 2, and within 8 below that.
struct BlurProcessor: ImageProcessor {
  let radius: Double

  var identifier: String { ProcessorIdentity("blur").adding(radius).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...1000).check(radius, "blur radius")
    guard radius > 0 else { return bitmap }
    let filter = BoxFilter(standardDeviation: radius)
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    var across = BlurStrip(length: width, filter: filter)
    let half = try bitmap.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      guard let source = source.baseAddress, let result = result.baseAddress else { return }
      for row in stride(from: 0, to: height, by: BlurStrip.width) {
        try CancellationFlag.checkCurrent()
        let start = row * width
        let count = min(BlurStrip.width, height - row)
        across.blur(source + start, into: result + start, lineCount: count, step: 1, lineStep: width)
      }
    }
    var down = BlurStrip(length: height, filter: filter)
    return try half.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      guard let source = source.baseAddress, let result = result.baseAddress else { return }
      for column in stride(from: 0, to: width, by: BlurStrip.width) {
        try CancellationFlag.checkCurrent()
        let count = min(BlurStrip.width, width - column)
        down.blur(source + column, into: result + column, lineCount: count, step: width, lineStep: 1)
      }
    }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Blurs the image with a Gaussian.
  ///
  /// The cost is proportional to the image's area; the radius only adds a margin beyond the edges. Pixels at the edge are
  /// repeated beyond it, so edges neither darken nor become transparent.
  ///
  /// - Parameter radius: The standard deviation in pixels, as in CSS and Core Image; 0 changes nothing; 0 to 1000.
  public static func blur(radius: Double) -> Self { BuiltInProcessor(BlurProcessor(radius: radius)) }
}

/// A strip of adjacent lines, rows or columns, which are blurred along their length together with SIMD instructions.
///
/// Values have 16 bits: 8 more than the components of a pixel.
private struct BlurStrip {
  /// Lines per strip.
  static let width = BoxFilter.laneCount / 4

  private let filter: BoxFilter
  /// Pixels per line.
  private let length: Int
  /// Pixels of padding at both ends for the filter: copies of the first and the last pixel.
  private let margin: Int
  private var values: [UInt16]
  private var scratch: [UInt16]

  init(length: Int, filter: BoxFilter) {
    self.filter = filter
    self.length = length
    margin = BoxFilter.passCount * (filter.radius + 1)
    values = Array(repeating: 0, count: (length + 2 * margin) * BoxFilter.laneCount)
    scratch = values
  }

  /// Blurs up to ``width`` lines.
  ///
  /// - Parameters:
  ///   - step: The distance from one pixel of a line to the next.
  ///   - lineStep: The distance from one line to the next.
  mutating func blur(
    _ source: UnsafePointer<Bitmap.Pixel>, into result: UnsafeMutablePointer<Bitmap.Pixel>, lineCount: Int, step: Int,
    lineStep: Int
  ) {
    load(source, lineCount: lineCount, step: step, lineStep: lineStep)
    for _ in 0..<BoxFilter.passCount {
      filter.smooth(values, into: &scratch)
      swap(&values, &scratch)
    }
    store(result, lineCount: lineCount, step: step, lineStep: lineStep)
  }

  private mutating func load(_ source: UnsafePointer<Bitmap.Pixel>, lineCount: Int, step: Int, lineStep: Int) {
    let (length, margin) = (length, margin)
    values.withUnsafeMutableBytes { bytes in
      for position in 0..<(length + 2 * margin) {
        let start = max(0, min(length - 1, position - margin)) &* step
        for line in 0..<lineCount {
          let pixel = source[start &+ line &* lineStep]
          let value = SIMD4<UInt16>(truncatingIfNeeded: pixel) &<< 8
          bytes.storeBytes(of: value, toByteOffset: Self.offset(position, line), as: SIMD4<UInt16>.self)
        }
      }
    }
  }

  private func store(_ result: UnsafeMutablePointer<Bitmap.Pixel>, lineCount: Int, step: Int, lineStep: Int) {
    values.withUnsafeBytes { bytes in
      for position in 0..<length {
        for line in 0..<lineCount {
          let value = bytes.load(fromByteOffset: Self.offset(position + margin, line), as: SIMD4<UInt16>.self)
          result[position &* step &+ line &* lineStep] = Bitmap.Pixel(truncatingIfNeeded: (value &+ 128) &>> 8)
        }
      }
    }
  }

  /// The byte offset of a pixel's values.
  @inline(__always)
  private static func offset(_ position: Int, _ line: Int) -> Int {
    (position &* width &+ line) &* MemoryLayout<SIMD4<UInt16>>.size
  }
}

/// An extended box filter: the mean of the neighbours in a line, the outermost with a fractional weight, which allows
/// any standard deviation (Gwosdek, Grewenig, Bruhn and Weickert, 2011).
private struct BoxFilter {
  /// The number of passes that approximate a Gaussian.
  static let passCount = 3

  /// Values that are adjacent in memory and processed together.
  static let laneCount = 64

  /// Neighbours on each side with full weight.
  let radius: Int
  /// The weight of each of these and of the centre.
  let weight: Float
  /// The fractional weight of the next neighbour on each side.
  let edgeWeight: Float

  /// Creates the filter that approximates a Gaussian of this standard deviation when it is applied three times.
  init(standardDeviation: Double) {
    let variance = standardDeviation * standardDeviation / Double(Self.passCount)
    radius = Int(((12 * variance + 1).squareRoot() - 1) / 2)
    let reach = Double(radius)
    let part =
      (2 * reach + 1) * (reach * (reach + 1) - 3 * variance) / (6 * (variance - (reach + 1) * (reach + 1)))
    let weight = 1 / (2 * reach + 1 + 2 * part)
    self.weight = Float(weight)
    edgeWeight = Float(weight * part)
  }
}

extension BoxFilter {
  /// Applies one pass to ``laneCount`` interleaved lines; the end values are repeated beyond both ends.
  ///
  /// The running sums are exact 32-bit integers, so errors do not accumulate: 255 * 256 times 2001 neighbours stay
  /// below 2^27.
  func smooth(_ values: [UInt16], into result: inout [UInt16]) {
    values.withUnsafeBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.laneCount) { sums in
          fill(sums, from: source)
          for position in 0..<(source.count / Self.laneCount) {
            step(at: position, sums, from: source, into: target)
          }
        }
      }
    }
  }

  /// Computes the sums around the first position.
  private func fill(_ sums: UnsafeMutableBufferPointer<Int32>, from source: UnsafeBufferPointer<UInt16>) {
    sums.initialize(repeating: 0)
    for position in -radius...radius {
      let row = Self.row(position, in: source)
      for lane in 0..<Self.laneCount { sums[lane] &+= Int32(source[row &+ lane]) }
    }
  }

  /// Writes the means at a position and moves the sums to the next one.
  @inline(__always)
  private func step(
    at position: Int, _ sums: UnsafeMutableBufferPointer<Int32>, from source: UnsafeBufferPointer<UInt16>,
    into target: UnsafeMutableBufferPointer<UInt16>
  ) {
    let before = Self.row(position - radius - 1, in: source)
    let leaving = Self.row(position - radius, in: source)
    let after = Self.row(position + radius + 1, in: source)
    let start = position &* Self.laneCount
    for lane in 0..<Self.laneCount {
      let next = Int32(source[after &+ lane])
      let ends = Float(Int32(source[before &+ lane]) &+ next)
      target[start &+ lane] = UInt16(rounding: Float(sums[lane]) * weight + ends * edgeWeight)
      sums[lane] = sums[lane] &+ next &- Int32(source[leaving &+ lane])
    }
  }

  /// The index of the first value at a position, which is clamped to the line.
  @inline(__always)
  private static func row(_ position: Int, in source: UnsafeBufferPointer<UInt16>) -> Int {
    max(0, min(source.count / laneCount - 1, position)) &* laneCount
  }
}

extension UInt16 {
  /// The integer nearest to a value of 0 to 65,535. Adding 2^23 leaves it in the lowest bits of a float, which needs no
  /// range check and can be vectorised.
  @inline(__always)
  fileprivate init(rounding value: Float) { self.init(truncatingIfNeeded: (value + 8_388_608).bitPattern) }
}
