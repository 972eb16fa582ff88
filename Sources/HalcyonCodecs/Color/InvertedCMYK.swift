#if !IMAGEIO
/// CMYK in which 255 is no ink, as in JPEG and JPEG XL files.
enum InvertedCMYK {
  /// Converts `count` pixels to opaque RGBA in place, without a profile.
  static func convert(_ row: UnsafeMutablePointer<UInt8>, count: Int) {
    for column in 0..<count {
      let pixel = row + column * 4
      let black = UInt16(pixel[3])
      for channel in 0..<3 {
        pixel[channel] = UInt8(truncatingIfNeeded: (UInt16(pixel[channel]) &* black + 127) / 255)
      }
      pixel[3] = 255
    }
  }
}
#endif
