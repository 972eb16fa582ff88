import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

@Suite(.unitTest)
struct HalfFloatResamplerTests {
  private static let implementations: [LanczosImplementation] = {
    #if IMAGEIO
    [.swift]
    #else
    [.swift, .zimg]
    #endif
  }()

  @Test(arguments: implementations, [(7, 5), (31, 40), (90, 64)])
  func `a plain area keeps its light`(_ implementation: LanczosImplementation, _ size: (Int, Int)) throws {
    for alpha in [1, 0.5] as [Float] {
      let light = SIMD4<Float>(2, 4, -0.02, 1) * alpha
      let bitmap = try Bitmap.lit(40, 30, isOpaque: alpha == 1) { _, _ in light }
      let result = try resized(bitmap, to: size, implementation)
      #expect(result.dynamicRange == .high && result.size == PixelSize(width: size.0, height: size.1))
      for index in 0..<result.size.pixelCount {
        let pixel = result.light(index % size.0, index / size.0)
        #expect(pixel.levels(to: light) <= 0.2 && abs(pixel.w - alpha) <= 0.002, "\(pixel)")
      }
    }
  }

  @Test(arguments: implementations)
  func `a light on black has no edge below black, and stays in its place`(_ implementation: LanczosImplementation)
    throws
  {
    let bitmap = try Bitmap.lit(60, 60) { column, row in
      let isLight = (24..<36).contains(column) && (24..<36).contains(row)
      return isLight ? SIMD4(20, 20, 20, 1) : SIMD4(0.1, 0.1, 0.1, 1)
    }
    let result = try resized(bitmap, to: (20, 20), implementation)
    #expect(result.light(10, 10).x > 15 && result.light(2, 2).levels(to: SIMD4(0.1, 0.1, 0.1, 1)) < 3)
    // In linear light, the pixels around it would be below 0.
    for column in 0..<20 { #expect(result.light(column, 10).x > 0.02) }
  }

  #if !IMAGEIO
  @Test(arguments: [(23, 17), (50, 64), (11, 90)])
  func `both implementations make the same image`(_ size: (Int, Int)) throws {
    for isOpaque in [true, false] {
      let bitmap = try Bitmap.lit(64, 48, isOpaque: isOpaque) { column, row in
        let alpha = isOpaque ? 1 : Float(column + 16) / 80
        return SIMD4(Float(column) / 8, Float(row * row) / 300, Float((column / 8 + row / 8) % 2), 1) * alpha
      }
      let (swift, zimg) = (try resized(bitmap, to: size, .swift), try resized(bitmap, to: size, .zimg))
      #expect(swift.levels(to: zimg) <= 0.5, "\(swift.levels(to: zimg))")
    }
  }
  #endif

  private func resized(
    _ bitmap: Bitmap, to size: (Int, Int), _ implementation: LanczosImplementation
  ) throws -> Bitmap {
    try ResizeProcessor(.exact(width: size.0, height: size.1), implementation: implementation).process(bitmap)
  }
}
