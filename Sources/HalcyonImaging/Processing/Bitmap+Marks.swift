import HalcyonSupport

extension Bitmap {
  /// Draws a smaller image over this one at each corner of a grid, clipped to this one.
  ///
  /// - Parameters:
  ///   - mark: What is drawn, in the colour space of the image.
  ///   - lefts: The left edges of the marks.
  ///   - tops: The top edges of the marks.
  ///   - opacity: From invisible, 0, to unchanged, 1.
  package mutating func draw(
    _ mark: Bitmap, lefts: [Int], tops: [Int], opacity: Double = 1, blendMode: BlendMode = .normal
  ) throws {
    let share = UInt8(fraction: Float(opacity))
    let (size, mark) = (size, try mark.inStandardRange())
    try withUnsafeMutableBytes { bytes in
      let result = bytes.bindMemory(to: Pixel.self)
      try mark.withPixels { pixels in
        for top in tops {
          for left in lefts {
            try CancellationFlag.checkCurrent()
            let columns = (left..<(left + mark.size.width)).clamped(to: 0..<size.width)
            for row in (top..<(top + mark.size.height)).clamped(to: 0..<size.height) {
              try CancellationFlag.checkCurrent(atRow: row)
              for column in columns {
                let ink = pixels[(row - top) * mark.size.width + column - left].scaled(by: share)
                let index = row * size.width + column
                result[index] = blendMode.draw(ink, over: result[index])
              }
            }
          }
        }
      }
    }
  }
}
