extension Bitmap {
  /// Red, green, blue, alpha; colours multiplied by alpha, so none is above it.
  typealias Pixel = SIMD4<UInt8>

  /// Calls `body` with all pixels, row by row without gaps.
  func withPixels<Result>(_ body: (UnsafeBufferPointer<Pixel>) throws -> Result) rethrows -> Result {
    try withUnsafeBytes { try body($0.bindMemory(to: Pixel.self)) }
  }

  /// A bitmap made from the pixels of this one; those of the new one arrive transparent.
  func redrawn(
    size: PixelSize, isOpaque: Bool,
    draw: (UnsafeBufferPointer<Pixel>, UnsafeMutableBufferPointer<Pixel>) throws -> Void
  ) throws -> Bitmap {
    try withPixels { source in
      try Bitmap(size: size, pixelFormat: pixelFormat, colorSpace: colorSpace, isOpaque: isOpaque) { bytes in
        try draw(source, bytes.bindMemory(to: Pixel.self))
      }
    }
  }

  /// A bitmap of the same size with each pixel changed by itself.
  @inline(__always)
  func mapPixels(isOpaque: Bool, _ transform: (Pixel) -> Pixel) throws -> Bitmap {
    try redrawn(size: size, isOpaque: isOpaque) { source, result in
      for index in 0..<source.count { result[index] = transform(source[index]) }
    }
  }
}

extension Bitmap.Pixel {
  var alpha: UInt8 { w }

  /// All four parts times `factor` / 255, to the nearest.
  @inline(__always)
  func scaled(by factor: UInt8) -> Bitmap.Pixel {
    let product = SIMD4<UInt16>(truncatingIfNeeded: self) &* UInt16(factor) &+ 128
    return Bitmap.Pixel(truncatingIfNeeded: (product &+ (product &>> 8)) &>> 8)
  }

  /// This pixel drawn over another one (Porter and Duff, "source over").
  @inline(__always)
  func over(_ backdrop: Bitmap.Pixel) -> Bitmap.Pixel { self &+ backdrop.scaled(by: 255 - alpha) }
}

extension UInt8 {
  /// A share from 0 to 1 as a part of 255; what lies outside counts as the nearer of these.
  init(share: Float) { self = UInt8((Swift.max(0, Swift.min(1, share)) * 255).rounded()) }
}

extension Bitmap.Pixel {
  /// The four parts as they are, 0 to 255.
  @inline(__always)
  var parts: SIMD4<Float> { SIMD4<Float>(Float(x), Float(y), Float(z), Float(w)) }

  /// The nearest pixel to parts from 0 to 255. Adding 2^23 leaves whole numbers in the lowest bits of floats.
  @inline(__always)
  init(rounding parts: SIMD4<Float>) {
    self.init(truncatingIfNeeded: unsafeBitCast(parts + 8_388_608, to: SIMD4<UInt32>.self))
  }

  /// A pixel of colours that alpha is multiplied into, rounded and cut to alpha.
  @inline(__always)
  init(color: SIMD4<Float>, alpha: UInt8) {
    let limit = SIMD4<Float>(repeating: Float(alpha))
    self.init(rounding: color.replacing(with: 0, where: color .< 0).replacing(with: limit, where: color .> limit))
    w = alpha
  }
}

extension PixelColor {
  /// This color as a premultiplied pixel.
  var premultiplied: Bitmap.Pixel {
    Bitmap.Pixel(red, green, blue, 255).scaled(by: alpha)
  }
}
