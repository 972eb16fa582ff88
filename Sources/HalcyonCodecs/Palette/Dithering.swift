import HalcyonImaging
import HalcyonSupport

/// Maps the pixels of an image to a palette; unless the palette is exact, the error of each pixel is diffused to its
/// neighbours (Floyd and Steinberg, 1976), row by row in alternating directions.
///
/// Only half of a small error is diffused: all of it would make the image grainy, and the file larger.
struct Dithering {
  /// The squared distance to the palette from which on all of an error is diffused.
  private static let visibleError = 4096

  private let palette: ColorPalette
  /// The nearest index for each ``bin(_:)``, filled on first use; -1 if not known yet.
  private var nearest: [Int16]
  /// The nearest index of each colour: of those looked up so far if the palette is fine, of all if it is exact.
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
    // In 1/256; with one more element on both sides, so that borders are no special case.
    var errors = [SIMD4<Int>](repeating: .zero, count: size.width + 2)
    var last: (color: UInt32, index: UInt8)?
    for row in 0..<size.height {
      try CancellationFlag.checkCurrent(atRow: row)
      var below = [SIMD4<Int>](repeating: .zero, count: size.width + 2)
      let step = row % 2 == 0 ? 1 : -1
      for number in 0..<size.width {
        let column = step > 0 ? number : size.width - 1 - number
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
        let wanted = Self.color(stored, adding: errors[column + 1] &>> SIMD4(repeating: 8))
        let index = nearestIndex(to: wanted)
        indices[pixel] = UInt8(index)
        let error = Self.diffused(wanted &- palette.colors[index])
        errors[column + 1 + step] &+= error &* SIMD4(repeating: 7)
        below[column + 1 - step] &+= error &* SIMD4(repeating: 3)
        below[column + 1] &+= error &* SIMD4(repeating: 5)
        below[column + 1 + step] &+= error
      }
      errors = below
    }
    return indices
  }

  /// The part of an error that is diffused, in sixteenths.
  private static func diffused(_ error: SIMD4<Int>) -> SIMD4<Int> {
    let distance = min((error &* error).wrappedSum(), visibleError)
    return error &* SIMD4(repeating: 8 + distance * 8 / visibleError)
  }

  /// A colour with the errors of its neighbours: opaque pixels stay opaque, translucent ones translucent.
  private static func color(_ stored: SIMD4<Int>, adding errors: SIMD4<Int>) -> SIMD4<Int> {
    var color = (stored &+ errors).clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
    color.w = stored.w == 255 ? 255 : min(max(color.w, 1), 254)
    return color
  }

  private static let opaqueBinCount = 1 << 21
  private static let binCount = opaqueBinCount + (1 << 21)

  /// The bin of a colour: with seven bits per channel, or five for translucent ones, whose alpha has six.
  private static func bin(_ color: SIMD4<Int>) -> Int {
    color.w == 255
      ? (color.x >> 1) << 14 | (color.y >> 1) << 7 | color.z >> 1
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
