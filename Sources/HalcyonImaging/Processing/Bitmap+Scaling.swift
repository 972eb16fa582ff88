import Foundation
import HalcyonSupport

extension Bitmap {
  /// A part of the bitmap at another size, with the Lanczos filter of three lobes.
  ///
  /// Slower than the resampler of the codecs, which this module does not have; of half floats, it takes the memory of the
  /// bitmap once more.
  package func scaled(to geometry: ResizeGeometry, isCancelled: () -> Bool) throws -> Bitmap {
    try Bitmap(
      size: geometry.outputSize, isOpaque: isOpaque, colorSpace: colorSpace, dynamicRange: dynamicRange
    ) { result in
      try withUnsafeBytes { source in
        if dynamicRange == .high { return try scaleLight(source, to: geometry, isCancelled, into: result) }
        let (source, result) = (source.bindMemory(to: Pixel.self), result.bindMemory(to: Pixel.self))
        try scale(to: geometry, isCancelled, from: { SIMD4<Float>(source[$0]) }) { row, column, pixel in
          let alpha = UInt8(max(0, min(255, pixel.w)).rounded())
          result[row * geometry.outputSize.width + column] = Pixel(color: pixel, alpha: alpha)
        }
      }
    }
  }

  /// Filters samples of PQ, near what the eye sees: around a bright light, linear light would get black rings.
  private func scaleLight(
    _ source: UnsafeRawBufferPointer, to geometry: ResizeGeometry, _ isCancelled: () -> Bool,
    into result: UnsafeMutableRawBufferPointer
  ) throws {
    guard let pixels = source.baseAddress, let target = result.baseAddress else { return }
    let (mapper, largest, width) = (ToneMapper(.keptPQ), Float(UInt16.max), geometry.outputSize.width)
    var samples = [SIMD4<UInt16>](repeating: .zero, count: size.pixelCount)
    samples.withUnsafeMutableBytes { samples in
      guard let start = samples.bindMemory(to: UInt16.self).baseAddress else { return }
      PerceptualQuantizer.convert(pixels, count: size.pixelCount, into: start, channelCount: 4)
    }
    var line = [SIMD4<UInt16>](repeating: .zero, count: width)
    try samples.withUnsafeBufferPointer { samples in
      try scale(to: geometry, isCancelled) { index in
        var sample = SIMD4<Float>(samples[index]) / largest
        sample *= SIMD4(sample.w, sample.w, sample.w, 1)
        return sample
      } set: { row, column, sum in
        let alpha = min(max(sum.w, 0), 1)
        var straight = alpha > 0 ? sum / alpha : .zero
        straight.w = alpha
        let sample = straight.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 1)) * largest
        line[column] = SIMD4<UInt16>(sample, rounding: .toNearestOrAwayFromZero)
        guard column == width - 1 else { return }
        line.withUnsafeBytes { line in
          guard let start = line.bindMemory(to: UInt16.self).baseAddress else { return }
          mapper.convert(start, count: width, to: target + row * width * dynamicRange.bytesPerPixel)
        }
      }
    }
  }

  @inline(__always)
  private func scale(
    to geometry: ResizeGeometry, _ isCancelled: () -> Bool, from pixel: (_ index: Int) -> SIMD4<Float>,
    set: (_ row: Int, _ column: Int, SIMD4<Float>) -> Void
  ) throws {
    let (window, target) = (geometry.window, geometry.outputSize)
    let across = LanczosFilter(
      sourceLength: size.width, window: (window.x, window.width), outputLength: target.width)
    let down = LanczosFilter(
      sourceLength: size.height, window: (window.y, window.height), outputLength: target.height)
    var sums = [SIMD4<Float>](repeating: .zero, count: size.width)
    for row in 0..<target.height {
      if isCancelled() { throw ImageDecodingError.cancelled }
      for column in sums.indices { sums[column] = .zero }
      for tap in 0..<down.tapCount {
        let (start, weight) = ((down.starts[row] + tap) * size.width, down.weight(tap, at: row))
        for column in sums.indices { sums[column] += pixel(start + column) * weight }
      }
      for column in 0..<target.width {
        var sum = SIMD4<Float>.zero
        for tap in 0..<across.tapCount { sum += sums[across.starts[column] + tap] * across.weight(tap, at: column) }
        set(row, column, sum)
      }
    }
  }
}

extension Bitmap {
  /// The bitmap with each side divided by a whole number, as the means of its pixels; pixels of a rest are left out.
  func shrunk(by factor: (x: Int, y: Int)) throws -> Bitmap {
    guard factor.x > 1 || factor.y > 1 else { return self }
    let target = PixelSize(width: size.width / factor.x, height: size.height / factor.y)
    let count = Float(factor.x * factor.y)
    return try redrawn(size: target, isOpaque: isOpaque) { source, result in
      var sums = [SIMD4<UInt32>](repeating: .zero, count: target.width)
      for row in 0..<target.height {
        try CancellationFlag.checkCurrent()
        for column in sums.indices { sums[column] = .zero }
        for line in row * factor.y..<(row + 1) * factor.y {
          var index = line * size.width
          for column in sums.indices {
            for _ in 0..<factor.x {
              sums[column] &+= SIMD4<UInt32>(truncatingIfNeeded: source[index])
              index += 1
            }
          }
        }
        for column in sums.indices {
          result[row * target.width + column] = Pixel(rounding: SIMD4<Float>(sums[column]) / count)
        }
      }
    }
  }
}
