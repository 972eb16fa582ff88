import HalcyonImaging

/// Draws a picture with the colours of a palette; where they are not its own, what each pixel lacks is passed on to its
/// neighbours (Floyd and Steinberg, 1976).
struct GIFDithering {
  private let palette: GIFPalette
  /// The index for each place of the histogram, found when it is first needed; -1 where it was not.
  private var known = [Int](repeating: -1, count: 1 << 15)

  init(_ palette: GIFPalette) {
    self.palette = palette
  }

  /// - Parameter pixels: Straight RGBA, four bytes a pixel.
  mutating func indices(_ pixels: [UInt8], size: PixelSize) -> [UInt8] {
    var indices = [UInt8](repeating: 0, count: size.pixelCount)
    // One place more on both sides, so that borders need no care. In sixteenths.
    var errors = [SIMD3<Int>](repeating: .zero, count: size.width + 2)
    for row in 0..<size.height {
      var below = [SIMD3<Int>](repeating: .zero, count: size.width + 2)
      for column in 0..<size.width {
        let pixel = row * size.width + column
        guard pixels[pixel * 4 + 3] >= GIFColorHistogram.leastAlpha else {
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
    guard !palette.isExact else { return palette.index(of: color) }
    let bin = GIFColorHistogram.bin(color)
    if known[bin] < 0 { known[bin] = palette.index(of: color) }
    return known[bin]
  }
}
