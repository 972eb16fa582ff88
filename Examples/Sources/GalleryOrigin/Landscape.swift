import Foundation
import Halcyon

/// A generated landscape of hills below a sky, a different one for each number. Free of copyright.
struct Landscape {
  private let palette: Palette
  private let seed: UInt32
  private let sun: SIMD2<Float>
  private let hillCount: Int

  /// - Parameter time: The position of the sun in the sky, from 0 to 1.
  init(number: Int, time: Float = 0.5) {
    var random = Noise(seed: UInt32(truncatingIfNeeded: number &* 7919 &+ 17))
    palette = Palette.all[number % Palette.all.count]
    seed = random.next()
    sun = SIMD2(
      0.15 + 0.7 * random.fraction() + (time - 0.5) * 0.5, 0.2 + 0.3 * random.fraction() + abs(time - 0.5) * 0.5)
    hillCount = 4 + Int(random.next() % 3)
  }

  func draw(width: Int, height: Int) throws -> Bitmap {
    let heights = (0..<hillCount).map { ridge($0, width: width) }
    return try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { pixels in
      let aspect = Float(width) / Float(height)
      for row in 0..<height {
        let y = Float(row) / Float(height)
        for column in 0..<width {
          let x = Float(column) / Float(width)
          let hill = heights.lastIndex { $0[column] <= y }
          var color = hill.map { hillColor($0, depth: y - heights[$0][column]) } ?? skyColor(x, y, aspect)
          color = color.clamped(lowerBound: .zero, upperBound: .one)
          let start = (row * width + column) * 4
          pixels[start] = UInt8(color.x * 255)
          pixels[start + 1] = UInt8(color.y * 255)
          pixels[start + 2] = UInt8(color.z * 255)
          pixels[start + 3] = 255
        }
      }
    }
  }

  private func skyColor(_ x: Float, _ y: Float, _ aspect: Float) -> SIMD3<Float> {
    let color = mix(palette.zenith, palette.horizon, min(1, y * 1.5))
    let offset = SIMD2((x - sun.x) * aspect, y - sun.y)
    let distance = (offset * offset).sum().squareRoot()
    if distance < 0.06 { return palette.sun }
    var lit = mix(color, palette.sun, 0.55 * exp(-distance * 5) + max(0, 1 - (distance - 0.06) * 160) * 0.5)
    if palette.hasStars, isStar(x, y, aspect) { lit += SIMD3(repeating: 0.6 * (1 - y)) }
    return lit
  }

  private func isStar(_ x: Float, _ y: Float, _ aspect: Float) -> Bool {
    let cell = SIMD2<Int32>(Int32(x * 220 * aspect), Int32(y * 220))
    var noise = Noise(seed: seed ^ UInt32(bitPattern: cell.x &* 73_856_093 ^ cell.y &* 19_349_663))
    return noise.next() % 190 == 0
  }

  private func hillColor(_ hill: Int, depth: Float) -> SIMD3<Float> {
    let nearness = Float(hill) / Float(max(1, hillCount - 1))
    return mix(
      mix(palette.far, palette.near, nearness), palette.horizon, max(0, 0.28 - depth * 1.4) * (1 - nearness * 0.7))
  }

  /// The top edge of a hill in each column, from 0 at the top of the image to 1.
  private func ridge(_ hill: Int, width: Int) -> [Float] {
    var random = Noise(seed: seed &+ UInt32(hill) &* 2_654_435_761)
    let base = 0.5 + 0.42 * Float(hill) / Float(hillCount)
    let waves = (0..<6).map { octave in
      (
        frequency: Float(1 << octave) * (0.7 + 0.8 * random.fraction()), phase: 6.3 * random.fraction(),
        size: (0.09 - 0.008 * Float(hill)) / pow(1.75, Float(octave))
      )
    }
    return (0..<width).map { column in
      let x = Float(column) / Float(width) * 6.3
      return waves.reduce(base) { $0 + sin(x * $1.frequency * 0.5 + $1.phase) * $1.size }
    }
  }

  private func mix(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ part: Float) -> SIMD3<Float> {
    a + (b - a) * min(1, max(0, part))
  }
}

/// A deterministic pseudorandom number generator (xorshift).
struct Noise {
  private var state: UInt32

  init(seed: UInt32) {
    state = seed | 1
    for _ in 0..<4 { _ = next() }
  }

  mutating func next() -> UInt32 {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return state
  }

  /// The next number, scaled to 0..<1.
  mutating func fraction() -> Float { Float(next() >> 8) / Float(1 << 24) }
}
