/// Conversion between straight and premultiplied alpha, in rows of RGBA.
package enum AlphaMath {
  /// Multiplies the colours of `count` pixels by their alpha.
  package static func premultiply(_ row: UnsafeMutablePointer<UInt8>, count: Int) {
    for pixel in 0..<count {
      let start = row + pixel * 4
      let alpha = UInt32(start[3])
      for channel in 0..<3 { start[channel] = scaled(start[channel], by: alpha) }
    }
  }

  /// Limits the colours of `count` premultiplied pixels to their alpha, which files may exceed.
  package static func clamp(_ row: UnsafeMutablePointer<UInt8>, count: Int) {
    for pixel in 0..<count {
      let start = row + pixel * 4
      for channel in 0..<3 { start[channel] = min(start[channel], start[3]) }
    }
  }

  /// Divides the colours of `count` pixels by their alpha; transparent pixels become black.
  package static func unpremultiply(_ row: UnsafePointer<UInt8>, count: Int, into target: UnsafeMutablePointer<UInt8>) {
    for pixel in 0..<count {
      let start = row + pixel * 4
      let alpha = UInt32(start[3])
      for channel in 0..<3 {
        let color = UInt32(start[channel])
        target[pixel * 4 + channel] = alpha == 0 ? 0 : UInt8(min(255, (color * 255 + alpha / 2) / alpha))
      }
      target[pixel * 4 + 3] = start[3]
    }
  }

  /// Sets the alpha of all pixels to 255.
  package static func makeOpaque(_ pixels: UnsafeMutableRawBufferPointer) {
    for alpha in stride(from: 3, to: pixels.count, by: 4) { pixels[alpha] = 255 }
  }

  /// Blends `count` premultiplied pixels over a background colour. Alpha is not written.
  package static func flatten(
    _ pixels: UnsafePointer<UInt8>, count: Int, onto color: PixelColor, into row: UnsafeMutablePointer<UInt8>
  ) {
    let background = [color.red, color.green, color.blue]
    for offset in stride(from: 0, to: count * 4, by: 4) {
      let rest = 255 - UInt16(pixels[offset + 3])
      for channel in 0..<3 {
        let shown = UInt16(pixels[offset + channel]) + (UInt16(background[channel]) * rest + 127) / 255
        row[offset + channel] = UInt8(min(shown, 255))
      }
    }
  }

  /// `value` times `alpha` over 255, rounded to nearest without a division.
  private static func scaled(_ value: UInt8, by alpha: UInt32) -> UInt8 {
    let product = UInt32(value) &* alpha &+ 128
    return UInt8(truncatingIfNeeded: (product &+ product &>> 8) &>> 8)
  }
}
