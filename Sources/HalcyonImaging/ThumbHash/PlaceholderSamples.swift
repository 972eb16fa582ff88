/// A small sample of an image's pixels: all pixels if no side exceeds 100, else 32 along the longer side, each the mean
/// of up to 8 x 8 pixels of the area it covers.
struct PlaceholderSamples {
  private static let exactSide = 100
  private static let reducedSide = 32
  private static let tapCount = 8

  let size: PixelSize
  /// Premultiplied components, 0 to 1.
  private var pixels: [SIMD4<Double>] = []

  init(_ bitmap: Bitmap) {
    // Without memory for the standard picture, the placeholder is made of what there is.
    let bitmap = (try? bitmap.inStandardRange()) ?? bitmap
    let longer = max(bitmap.size.width, bitmap.size.height)
    let scale = longer > Self.exactSide ? Double(Self.reducedSide) / Double(longer) : 1
    size = PixelSize(
      width: max(1, Int((Double(bitmap.size.width) * scale).rounded())),
      height: max(1, Int((Double(bitmap.size.height) * scale).rounded())))
    pixels.reserveCapacity(size.pixelCount)
    let columns = Self.taps(from: bitmap.size.width, to: size.width)
    let rows = Self.taps(from: bitmap.size.height, to: size.height)
    let conversion = bitmap.colorSpace == .sRGB ? nil : ColorTables.converting(to: .sRGB)
    bitmap.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          var sums = SIMD4<UInt32>.zero
          for row in rows[y] {
            for column in columns[x] {
              let start = row * bitmap.bytesPerRow + column * 4
              sums &+= SIMD4(
                UInt32(bytes[start]), UInt32(bytes[start + 1]), UInt32(bytes[start + 2]), UInt32(bytes[start + 3]))
            }
          }
          if let conversion { sums = conversion.converted(sums) }
          pixels.append(SIMD4<Double>(sums) / (255 * Double(rows[y].count * columns[x].count)))
        }
      }
    }
  }

  var alpha: [Double] { pixels.map(\.w) }

  var hasAlpha: Bool { alpha.reduce(0, +) < Double(pixels.count) }

  /// The colours, composited over the mean colour of the image.
  func compositedColors() -> [SIMD3<Double>] {
    let sum = pixels.reduce(.zero, +)
    let mean = sum / (sum.w > 0 ? sum.w : 1)
    return pixels.map { pixel in
      let color = pixel + mean * (1 - pixel.w)
      return SIMD3(color.x, color.y, color.z)
    }
  }

  /// Lightness, yellow–blue and red–green chroma, composited over the mean colour of the image.
  func planes() -> (lightness: [Double], yellowBlue: [Double], redGreen: [Double]) {
    let colors = compositedColors()
    return (
      colors.map { ($0.x + $0.y + $0.z) / 3 }, colors.map { ($0.x + $0.y) / 2 - $0.z }, colors.map { $0.x - $0.y }
    )
  }

  /// For each position on the smaller side, the sampled positions on the larger one.
  private static func taps(from source: Int, to target: Int) -> [[Int]] {
    (0..<target).map { position in
      let (start, end) = (
        position * source / target, max(position * source / target + 1, (position + 1) * source / target)
      )
      let step = max(1, (end - start + tapCount - 1) / tapCount)
      return Array(stride(from: start, to: end, by: step))
    }
  }
}
