import HalcyonImaging
import HalcyonCodecs

typealias Color = SIMD4<Int>

extension Bitmap {
  /// A bitmap with the premultiplied colour that `paint` returns for each column and row.
  static func painted(
    _ width: Int, _ height: Int, isOpaque: Bool = true, _ paint: (_ column: Int, _ row: Int) -> Color
  ) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height), isOpaque: isOpaque) { bytes in
      for row in 0..<height {
        for column in 0..<width {
          let color = paint(column, row)
          for channel in 0..<4 { bytes[(row * width + column) * 4 + channel] = UInt8(color[channel]) }
        }
      }
    }
  }

  /// A smooth image in which every pixel has its own colour.
  static func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
    try painted(width, height) { column, row in
      Color(255 * column / width, 255 * row / height, 128, 255)
    }
  }

  func color(_ column: Int, _ row: Int) -> Color {
    let pixel = self[column, row]
    return Color(Int(pixel.red), Int(pixel.green), Int(pixel.blue), Int(pixel.alpha))
  }

  /// The average of an area of the bitmap, with each pixel weighted by its coverage.
  func average(of area: PixelRectangle) -> SIMD4<Double> {
    var total = SIMD4<Double>()
    for row in Int(area.y)..<min(size.height, Int((area.y + area.height).rounded(.up))) {
      let high = min(Double(row + 1), area.y + area.height) - max(Double(row), area.y)
      for column in Int(area.x)..<min(size.width, Int((area.x + area.width).rounded(.up))) {
        let wide = min(Double(column + 1), area.x + area.width) - max(Double(column), area.x)
        total += SIMD4<Double>(color(column, row)) * wide * high
      }
    }
    return total / (area.width * area.height)
  }

  /// The mean difference of a channel to the area averages of `original`.
  func difference(toAveraged original: Bitmap, geometry: ResizeGeometry) -> Double {
    let window = geometry.window
    let (width, height) = (window.width / Double(size.width), window.height / Double(size.height))
    var total = 0.0
    for row in 0..<size.height {
      for column in 0..<size.width {
        let area = PixelRectangle(
          x: window.x + Double(column) * width, y: window.y + Double(row) * height, width: width, height: height)
        let distance = original.average(of: area) - SIMD4<Double>(color(column, row))
        total += (0..<4).reduce(0) { $0 + abs(distance[$1]) }
      }
    }
    return total / Double(size.pixelCount * 4)
  }

  /// The number of different colours.
  var colorCount: Int {
    withUnsafeBytes { Set($0.bindMemory(to: UInt32.self)).count }
  }

  /// The largest difference of a channel to another bitmap of the same size.
  func largestDifference(to other: Bitmap) -> Int {
    guard size == other.size else { return .max }
    return withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in zip(mine, theirs).map { abs(Int($0) - Int($1)) }.max() ?? 0 }
    }
  }
}

extension Bitmap {
  /// Some of the rows.
  func rows(from top: Int, count: Int) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: size.width, height: count), isOpaque: isOpaque) { output in
      withUnsafeBytes { bytes in
        output.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[top * bytesPerRow..<(top + count) * bytesPerRow]))
      }
    }
  }
}
