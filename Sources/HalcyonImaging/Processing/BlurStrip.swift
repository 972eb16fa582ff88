/// Some lines of an image side by side, blurred along their length together, so that one instruction works on many.
///
/// Values have eight bits more than those of a pixel.
struct BlurStrip {
  /// Lines side by side.
  static let width = BoxFilter.laneCount / 4

  private let filter: BoxFilter
  /// How many pixels a line has.
  private let length: Int
  /// Pixels before and after these that the filter sees: the first one and the last one go on.
  private let margin: Int
  private var values: [UInt16]
  private var spare: [UInt16]

  init(length: Int, filter: BoxFilter) {
    self.filter = filter
    self.length = length
    margin = BoxFilter.passCount * (filter.radius + 1)
    values = Array(repeating: 0, count: (length + 2 * margin) * BoxFilter.laneCount)
    spare = values
  }

  /// Blurs up to ``width`` lines.
  ///
  /// - Parameters:
  ///   - step: From one pixel of a line to the next.
  ///   - lineStep: From a line to the one beside it.
  mutating func blur(
    _ source: UnsafePointer<Bitmap.Pixel>, into result: UnsafeMutablePointer<Bitmap.Pixel>, lineCount: Int, step: Int,
    lineStep: Int
  ) {
    load(source, lineCount: lineCount, step: step, lineStep: lineStep)
    for _ in 0..<BoxFilter.passCount {
      filter.smooth(values, into: &spare)
      swap(&values, &spare)
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

  /// Where a pixel's values lie among the bytes.
  @inline(__always)
  private static func offset(_ position: Int, _ line: Int) -> Int {
    (position &* width &+ line) &* MemoryLayout<SIMD4<UInt16>>.size
  }
}
