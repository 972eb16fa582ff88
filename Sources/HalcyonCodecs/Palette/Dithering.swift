import HalcyonImaging
import HalcyonSupport

/// Maps the pixels of an image to a palette; unless the palette is exact, the error of each pixel is diffused to its
/// neighbours (Floyd and Steinberg, 1976).
struct Dithering {
  private let palette: ColorPalette
  /// The nearest index for each ``bin(_:)``, filled on first use; -1 if not known yet.
  private var nearest: [Int16]
  /// The nearest index of each colour so far, if the palette is fine; of all colours, if it is exact.
  private var known: [UInt32: UInt8] = [:]

  init(_ palette: ColorPalette) {
    self.palette = palette
    let isTranslucent = palette.colors.contains { (1..<255).contains($0.w) }
    nearest = Array(repeating: -1, count: palette.isFine ? 0 : isTranslucent ? Self.binCount : Self.opaqueBinCount)
    guard palette.isExact else { return }
    for (index, color) in palette.colors.enumerated() { known[color.packed] = UInt8(index) }
  }

  /// The index of each pixel, a byte for each.
  ///
  /// - Parameter pixels: Premultiplied RGBA, four bytes a pixel.
  mutating func indices(_ pixels: UnsafeBufferPointer<UInt8>, size: PixelSize) throws -> [UInt8] {
    var indices = [UInt8](repeating: 0, count: size.pixelCount)
    // In sixteenths; one extra element on both sides, so that borders are not a special case.
    var errors = [SIMD4<Int>](repeating: .zero, count: size.width + 2)
    var last: (color: UInt32, index: UInt8)?
    for row in 0..<size.height {
      try CancellationFlag.checkCurrent(atRow: row)
      var below = [SIMD4<Int>](repeating: .zero, count: size.width + 2)
      for column in 0..<size.width {
        let pixel = row * size.width + column
        let stored = SIMD4(
          Int(pixels[pixel * 4]), Int(pixels[pixel * 4 + 1]), Int(pixels[pixel * 4 + 2]), Int(pixels[pixel * 4 + 3]))
        if palette.isExact {
          let color = stored.packed
          if last?.color != color { last = (color, known[color] ?? 0) }
          indices[pixel] = last?.index ?? 0
          continue
        }
        guard stored.w > 0 else { continue }
        let wanted = Self.color(stored, adding: errors[column + 1] &>> SIMD4(repeating: 4))
        let index = nearestIndex(to: wanted)
        indices[pixel] = UInt8(index)
        let error = wanted &- palette.colors[index]
        errors[column + 2] &+= error &* SIMD4(repeating: 7)
        below[column] &+= error &* SIMD4(repeating: 3)
        below[column + 1] &+= error &* SIMD4(repeating: 5)
        below[column + 2] &+= error
      }
      errors = below
    }
    return indices
  }

  /// A colour with the errors of its neighbours: opaque pixels stay opaque, translucent ones translucent.
  private static func color(_ stored: SIMD4<Int>, adding errors: SIMD4<Int>) -> SIMD4<Int> {
    var color = (stored &+ errors).clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
    color.w = stored.w == 255 ? 255 : min(max(color.w, 1), 254)
    return color
  }

  private static let opaqueBinCount = 1 << 18
  private static let binCount = opaqueBinCount + (1 << 21)

  /// The bin of a colour: with six bits per channel, or five for translucent ones, whose alpha has six.
  private static func bin(_ color: SIMD4<Int>) -> Int {
    color.w == 255
      ? (color.x >> 2) << 12 | (color.y >> 2) << 6 | color.z >> 2
      : opaqueBinCount + ((color.w >> 2) << 15 | (color.x >> 3) << 10 | (color.y >> 3) << 5 | color.z >> 3)
  }

  private mutating func nearestIndex(to color: SIMD4<Int>) -> Int {
    if palette.isFine {
      if let index = known[color.packed] { return Int(index) }
      let index = palette.index(of: color)
      known[color.packed] = UInt8(index)
      return index
    }
    let bin = Self.bin(color)
    // A palette without translucent colours has no bins for them.
    guard bin < nearest.count else { return palette.index(of: color) }
    if nearest[bin] < 0 { nearest[bin] = Int16(palette.index(of: color)) }
    return Int(nearest[bin])
  }
}
