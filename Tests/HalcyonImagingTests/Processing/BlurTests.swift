import HalcyonImaging
import Foundation
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct BlurTests {
  @Test(arguments: [0.3, 0.7, 1, 2, 5, 8, 31.5, 400])
  func `a solid colour stays unchanged`(_ radius: Double) throws {
    let pixel = Pixel(7, 130, 199, 200)
    let bitmap = try Bitmap(rows: Array(repeating: Array(repeating: pixel, count: 40), count: 3))
    #expect(try BuiltInProcessor.blur(radius: radius).process(bitmap).rows.joined().allSatisfy { $0 == pixel })
  }

  @Test(arguments: [(0.5, 8), (1, 8), (1.5, 8), (2, 4), (3, 4), (3.7, 4), (8, 4), (20, 4)] as [(Double, Double)])
  func `an edge and noise are blurred as by a true Gaussian, also at the borders`(
    _ radius: Double, _ tolerance: Double
  ) throws {
    let edge = try Bitmap(grays: (0..<240).map { $0 < 120 ? 0 : 255 })
    for bitmap in [edge, try Bitmap.noise(width: 300, height: 1, isOpaque: true)] {
      let expected = GaussianReference(standardDeviation: radius).blur(bitmap.reds)
      let blurred = try BuiltInProcessor.blur(radius: radius).process(bitmap).reds
      #expect(zip(blurred, expected).map { abs(Double($0) - $1) }.max() ?? 255 <= tolerance)
    }
  }

  @Test func `both directions are blurred equally`() throws {
    let bitmap = try Bitmap.noise(width: 33, height: 21)
    let turned = try BuiltInProcessor.rotate(degrees: 90).process(bitmap)
    let blurred = try BuiltInProcessor.rotate(degrees: 90).process(BuiltInProcessor.blur(radius: 2).process(bitmap))
      .rows.joined()
    let blurredTurned = try BuiltInProcessor.blur(radius: 2).process(turned).rows.joined()
    #expect(zip(blurred, blurredTurned).allSatisfy { abs(Int($0.x) - Int($1.x)) <= 1 })
  }

  @Test func `a radius far larger than the image gives its mean colour`() throws {
    let blurred = try BuiltInProcessor.blur(radius: 1000).process(Bitmap(grays: [0, 255])).reds
    #expect(blurred.allSatisfy { abs(Int($0) - 128) <= 1 })
  }
}

/// Convolution with a sampled Gaussian in double precision; the end values are repeated beyond both ends.
private struct GaussianReference {
  let standardDeviation: Double

  func blur(_ values: [UInt8]) -> [Double] {
    let reach = Int(standardDeviation * 6) + 1
    let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * standardDeviation * standardDeviation)) }
    let total = weights.reduce(0, +)
    return values.indices.map { index in
      let sum = weights.enumerated().reduce(0.0) { sum, entry in
        sum + entry.element * Double(values[min(max(index + entry.offset - reach, 0), values.count - 1)])
      }
      return sum / total
    }
  }
}
