#if ISAL && !IMAGEIO
/// The filters of PNG (section 9.2) for pixels of three or four bytes.
enum PNGFilter {
  private typealias Pixel = SIMD4<Int16>

  /// Reverses a filter, 1 to 4, of a row below another one. Up to three bytes after the rows are read and written.
  static func reverse(
    _ filter: UInt8, of source: UnsafePointer<UInt8>, after previous: UnsafePointer<UInt8>,
    into target: UnsafeMutablePointer<UInt8>, pixelCount: Int, bytesPerPixel: Int
  ) {
    switch filter {
    case 1: run(source, previous, target, pixelCount, bytesPerPixel) { left, _, _ in left }
    case 2: run(source, previous, target, pixelCount, bytesPerPixel) { _, above, _ in above }
    case 3:
      run(source, previous, target, pixelCount, bytesPerPixel) { left, above, _ in
        (left &+ above) &>> Pixel(repeating: 1)
      }
    default: run(source, previous, target, pixelCount, bytesPerPixel, paeth)
    }
  }

  /// The one of the three that is nearest to `left + above - corner`, without comparisons, which are not compiled to instructions
  /// for several numbers.
  @inline(__always)
  private static func paeth(_ left: Pixel, _ above: Pixel, _ corner: Pixel) -> Pixel {
    let shift = Pixel(repeating: 15)
    // All bits of a negative number.
    func sign(_ value: Pixel) -> Pixel { value &>> shift }
    func magnitude(_ value: Pixel) -> Pixel { (value ^ sign(value)) &- sign(value) }
    let (across, down) = (above &- corner, left &- corner)
    let (toLeft, toAbove, toCorner) = (magnitude(across), magnitude(down), magnitude(across &+ down))
    let other = above ^ ((above ^ corner) & sign(toCorner &- toAbove))
    return left ^ ((left ^ other) & (sign(toAbove &- toLeft) | sign(toCorner &- toLeft)))
  }

  @inline(__always)
  private static func run(
    _ source: UnsafePointer<UInt8>, _ previous: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>,
    _ pixelCount: Int, _ bytesPerPixel: Int, _ prediction: (_ left: Pixel, _ above: Pixel, _ corner: Pixel) -> Pixel
  ) {
    func pixel(_ start: UnsafePointer<UInt8>, _ offset: Int) -> Pixel {
      Pixel(truncatingIfNeeded: UnsafeRawPointer(start + offset).loadUnaligned(as: SIMD4<UInt8>.self))
    }
    var (left, corner, offset) = (Pixel(), Pixel(), 0)
    for _ in 0..<pixelCount {
      let above = pixel(previous, offset)
      left = (pixel(source, offset) &+ prediction(left, above, corner)) & Pixel(repeating: 255)
      corner = above
      UnsafeMutableRawPointer(target + offset).storeBytes(
        of: SIMD4<UInt8>(truncatingIfNeeded: left), as: SIMD4<UInt8>.self)
      offset &+= bytesPerPixel
    }
  }
}
#endif
