/// Interleaves a row of planes as RGBA, four bytes a pixel.
enum RowPacking {
  typealias Samples = UnsafePointer<UInt8>
  typealias Pixels = UnsafeMutablePointer<UInt32>

  static func grey(_ grey: Samples, into pixels: Pixels, columns: Range<Int>) {
    for column in columns {
      pixels[column] = (UInt32(grey[column]) &* 0x0001_0101 | 0xFF00_0000).littleEndian
    }
  }

  static func rgb(_ red: Samples, _ green: Samples, _ blue: Samples, into pixels: Pixels, columns: Range<Int>) {
    for column in columns {
      let color = UInt32(red[column]) | UInt32(green[column]) &<< 8 | UInt32(blue[column]) &<< 16
      pixels[column] = (color | 0xFF00_0000).littleEndian
    }
  }

  /// Lanczos overshoots at edges; a premultiplied colour above its alpha would be no colour.
  static func rgba(
    _ red: Samples, _ green: Samples, _ blue: Samples, _ alpha: Samples, into pixels: Pixels, columns: Range<Int>
  ) {
    for column in columns {
      let limit = alpha[column]
      let reds = UInt32(min(red[column], limit))
      let greens = UInt32(min(green[column], limit))
      let blues = UInt32(min(blue[column], limit))
      pixels[column] = (reds | greens &<< 8 | blues &<< 16 | UInt32(limit) &<< 24).littleEndian
    }
  }

  /// Takes a row of RGBA apart into planes of red, green, blue, and of alpha where there is a fourth.
  static func split(_ pixels: UnsafePointer<UInt32>, count: Int, into planes: [UnsafeMutablePointer<UInt8>]) {
    for (index, plane) in planes.enumerated() {
      let shift = UInt32(index) &* 8
      for column in 0..<count {
        plane[column] = UInt8(truncatingIfNeeded: pixels[column].littleEndian &>> shift)
      }
    }
  }
}
