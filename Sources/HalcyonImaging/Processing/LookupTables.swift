/// What each value of each colour becomes, whatever the other colours and the neighbours are.
///
/// Transparent pixels are divided by their alpha first and multiplied again after; what changes no value changes no
/// pixel.
struct LookupTables {
  private let red: [UInt8]
  private let green: [UInt8]
  private let blue: [UInt8]

  /// The same change for all colours, from a share of 0 to 1 to one that is cut to that.
  init(_ change: (Float) -> Float) {
    let table = Self.table(change)
    (red, green, blue) = (table, table, table)
  }

  /// A change that mixes a colour in; `change` gets the image's share and the colour's.
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
    (0...255).map { UInt8(share: change(Float($0) / 255)) }
  }
}

extension Bitmap.Pixel {
  /// The colours divided by alpha, to the nearest.
  @inline(__always)
  var unpremultiplied: Bitmap.Pixel {
    if alpha == 255 { return self }
    if alpha == 0 { return .zero }
    let divisor = UInt16(alpha)
    let shares = (SIMD4<UInt16>(truncatingIfNeeded: self) &* 255 &+ divisor / 2) / divisor
    return Bitmap.Pixel(truncatingIfNeeded: shares)
  }
}
