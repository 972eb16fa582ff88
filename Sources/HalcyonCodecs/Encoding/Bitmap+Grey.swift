#if !IMAGEIO
import HalcyonImaging

extension Bitmap {
  /// Whether all pixels are grey, so that a file needs one channel for them. `false` for Display P3, whose profile states
  /// three channels.
  ///
  /// Reads the pixels up to the first that is not.
  var isGrey: Bool {
    guard colorSpace == .sRGB else { return false }
    return withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: UInt32.self) { pixels in
        // Equal to the channel beside it.
        pixels.allSatisfy { pixel in
          let color = UInt32(littleEndian: pixel) & 0x00FF_FFFF
          return (color ^ color >> 8) & 0xFFFF == 0
        }
      }
    }
  }
}

extension PixelColor {
  var isGrey: Bool { red == green && green == blue }
}

extension EncodingOptions {
  /// The quality from which on JPEG and AVIF keep the full resolution of colours.
  static let fullColorQuality = 0.9
}
#endif
