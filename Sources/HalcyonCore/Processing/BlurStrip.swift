/// Some lines of an image side by side, blurred along their length together, so that one instruction works on many.
///
/// Values have eight bits more than those of a pixel.
struct BlurStrip {
  /// Lines side by side.
  static let width = BoxFilter.laneCount / 4

  private let filter: BoxFilter
  /// How many pixels a line has.
  private let length: Int
  private var values: [UInt16]
  private var spare: [UInt16]

  init(length: Int, filter: BoxFilter) {
    self.filter = filter
    self.length = length
    values = Array(repeating: 0, count: length * BoxFilter.laneCount)
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
    values.withUnsafeMutableBytes { bytes in
      let target = bytes.bindMemory(to: SIMD4<UInt16>.self)
      for position in 0..<length {
        for line in 0..<lineCount {
          let pixel = source[position &* step &+ line &* lineStep]
          target[position &* Self.width &+ line] = SIMD4<UInt16>(truncatingIfNeeded: pixel) &<< 8
        }
      }
    }
  }

  private func store(_ result: UnsafeMutablePointer<Bitmap.Pixel>, lineCount: Int, step: Int, lineStep: Int) {
    values.withUnsafeBytes { bytes in
      let source = bytes.bindMemory(to: SIMD4<UInt16>.self)
      for position in 0..<length {
        for line in 0..<lineCount {
          let rounded = (source[position &* Self.width &+ line] &+ 128) &>> 8
          result[position &* step &+ line &* lineStep] = Bitmap.Pixel(truncatingIfNeeded: rounded)
        }
      }
    }
  }
}
