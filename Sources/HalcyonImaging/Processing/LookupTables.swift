/// Lookup tables from 8-bit component values to new ones, one for each colour channel.
///
/// Pixels are unpremultiplied before the lookup and premultiplied again afterwards; tables that change no value change
/// no pixel.
struct LookupTables {
  private let red: [UInt8]
  private let green: [UInt8]
  private let blue: [UInt8]

  /// One table for all channels, from a component of 0...1 to a result that is clamped to 0...1.
  init(_ change: (Float) -> Float) {
    let table = Self.table(change)
    (red, green, blue) = (table, table, table)
  }

  /// Tables that blend with a colour; `change` receives the image's component and the colour's, both 0...1.
  init(mixing color: PixelColor, _ change: (Float, Float) -> Float) {
    red = Self.table { change($0, Float(color.red) / 255) }
    green = Self.table { change($0, Float(color.green) / 255) }
    blue = Self.table { change($0, Float(color.blue) / 255) }
  }

  func apply(to bitmap: Bitmap) throws -> Bitmap {
    try red.withUnsafeBufferPointer { red in
      try green.withUnsafeBufferPointer { green in
        try blue.withUnsafeBufferPointer { blue in
          try bitmap.mapPixels(isOpaque: bitmap.isOpaque) { pixel in
            let plain = pixel.unpremultiplied
            return Bitmap.Pixel(red[Int(plain.x)], green[Int(plain.y)], blue[Int(plain.z)], 255).scaled(by: pixel.alpha)
          }
        }
      }
    }
  }

  private static func table(_ change: (Float) -> Float) -> [UInt8] {
    (0...255).map { UInt8(fraction: change(Float($0) / 255)) }
  }
}

extension Bitmap.Pixel {
  /// The components divided by alpha, rounded to nearest.
  @inline(__always)
  var unpremultiplied: Bitmap.Pixel {
    if alpha == 255 { return self }
    if alpha == 0 { return .zero }
    let divisor = UInt16(alpha)
    let components = (SIMD4<UInt16>(truncatingIfNeeded: self) &* 255 &+ divisor / 2) / divisor
    return Bitmap.Pixel(truncatingIfNeeded: components)
  }
}
