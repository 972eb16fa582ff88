import HalcyonSupport

extension Bitmap {
  /// Red, green, blue, alpha; colours are premultiplied by alpha, so none exceeds it.
  typealias Pixel = SIMD4<UInt8>

  /// Calls `body` with all pixels, row by row; rows are contiguous.
  ///
  /// - Precondition: The pixels are bytes.
  func withPixels<Result>(_ body: (UnsafeBufferPointer<Pixel>) throws -> Result) rethrows -> Result {
    precondition(dynamicRange == .standard, "the pixels are half floats: use inStandardRange()")
    return try withUnsafeBytes { try body($0.bindMemory(to: Pixel.self)) }
  }

  /// A bitmap of bytes drawn from the pixels of this one; its pixels are initially transparent.
  func redrawn(
    size: PixelSize, isOpaque: Bool,
    draw: (UnsafeBufferPointer<Pixel>, UnsafeMutableBufferPointer<Pixel>) throws -> Void
  ) throws -> Bitmap {
    try inStandardRange().withPixels { source in
      try Bitmap(size: size, isOpaque: isOpaque, colorSpace: colorSpace) { bytes in
        try draw(source, bytes.bindMemory(to: Pixel.self))
      }
    }
  }

  /// A bitmap of the same size with `transform` applied to each pixel.
  @inline(__always)
  func mapPixels(isOpaque: Bool, _ transform: (Pixel) -> Pixel) throws -> Bitmap {
    try redrawn(size: size, isOpaque: isOpaque) { source, result in
      try Self.inParts(of: source.count) { part in
        for index in part { result[index] = transform(source[index]) }
      }
    }
  }

  /// Calls `body` with parts of the indices below `count`; between them it throws if the load has been cancelled.
  @inline(__always)
  static func inParts(of count: Int, _ body: (Range<Int>) -> Void) throws {
    for start in stride(from: 0, to: count, by: 1 << 16) {
      try CancellationFlag.checkCurrent()
      body(start..<min(count, start + 1 << 16))
    }
  }
}

extension Bitmap.Pixel {
  var alpha: UInt8 { w }

  /// All four components times `factor` / 255, rounded to nearest.
  @inline(__always)
  func scaled(by factor: UInt8) -> Bitmap.Pixel {
    let product = SIMD4<UInt16>(truncatingIfNeeded: self) &* UInt16(factor) &+ 128
    return Bitmap.Pixel(truncatingIfNeeded: (product &+ (product &>> 8)) &>> 8)
  }

  /// This pixel composited over another one (Porter and Duff, “source over”).
  @inline(__always)
  func over(_ backdrop: Bitmap.Pixel) -> Bitmap.Pixel { self &+ backdrop.scaled(by: 255 - alpha) }
}

extension UInt8 {
  /// A fraction of 0...1 scaled to 0...255; clamped and rounded to nearest.
  init(fraction: Float) { self = UInt8((Swift.max(0, Swift.min(1, fraction)) * 255).rounded()) }
}

extension Bitmap.Pixel {
  /// The four components as floats, 0 to 255.
  @inline(__always)
  var components: SIMD4<Float> { SIMD4<Float>(Float(x), Float(y), Float(z), Float(w)) }

  /// The nearest pixel to components of 0 to 255. Adding 2^23 leaves the integer in the lowest bits of a float.
  @inline(__always)
  init(rounding components: SIMD4<Float>) {
    self.init(truncatingIfNeeded: unsafeBitCast(components + 8_388_608, to: SIMD4<UInt32>.self))
  }

  /// A pixel of premultiplied colour components, rounded and clamped to alpha.
  @inline(__always)
  init(color: SIMD4<Float>, alpha: UInt8) {
    let limit = SIMD4<Float>(repeating: Float(alpha))
    self.init(rounding: color.replacing(with: 0, where: color .< 0).replacing(with: limit, where: color .> limit))
    w = alpha
  }
}

extension PixelColor {
  /// This colour as a premultiplied pixel of a bitmap in a colour space.
  func premultiplied(in space: ColorSpace) -> Bitmap.Pixel {
    let color = converted(to: space)
    return Bitmap.Pixel(color.red, color.green, color.blue, 255).scaled(by: alpha)
  }
}
