#if !IMAGEIO
import Foundation
import HalcyonImaging

/// Samples that are read as they are stored, since libtiff converts them otherwise than the profile says, wrongly, or not
/// at all.
enum TIFFSamples {
  /// Four inks of 8 or 16 bits, with the transform of the profile; without one, as libtiff converts 8 bits.
  case cmyk(ColorTransform?)
  /// Lightness and two colour axes of 8 or 16 bits: CIELab stores the axes as signed numbers, ICCLab with an offset.
  case lab(isSigned: Bool)
  /// An index into a palette, and alpha, of 8 bits.
  case paletteAndAlpha

  /// The samples of an image; `nil` if libtiff converts them well.
  init?(_ header: TIFFHeader, cmyk transform: ColorTransform?) {
    switch (header.photometric, header.samplesPerPixel, header.bitDepth) {
    case (TIFFHeader.Photometric.separated, 4, 8) where transform != nil, (TIFFHeader.Photometric.separated, 4, 16):
      self = .cmyk(transform)
    case (TIFFHeader.Photometric.cieLab, 3, 8), (TIFFHeader.Photometric.cieLab, 3, 16): self = .lab(isSigned: true)
    case (TIFFHeader.Photometric.iccLab, 3, 8), (TIFFHeader.Photometric.iccLab, 3, 16): self = .lab(isSigned: false)
    case (TIFFHeader.Photometric.palette, 2, 8) where header.hasAlpha: self = .paletteAndAlpha
    default: return nil
    }
  }

  /// Samples per pixel.
  var count: Int {
    switch self {
    case .cmyk: 4
    case .lab: 3
    case .paletteAndAlpha: 2
    }
  }
}

/// The rows of an image whose samples are read as they are stored.
final class TIFFSampleRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let reader: TIFFReader
  private let samples: TIFFSamples
  private let isDeep: Bool
  private let hasUnassociatedAlpha: Bool
  private let palette: [[UInt8]]
  private var row: [UInt8]
  private var nextRow = 0

  /// `nil` if the file stores them otherwise than in interleaved strips.
  init?(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, samples: TIFFSamples
  ) throws(ImageDecodingError) {
    guard let reader = try TIFFReader(bytes, header, samples: samples) else { return nil }
    palette = reader.palette ?? []
    if case .paletteAndAlpha = samples, palette.isEmpty { throw .corrupt(.tiff, reason: "it has no palette") }
    self.reader = reader
    self.samples = samples
    size = header.size
    isOpaque = !header.hasAlpha
    isDeep = header.bitDepth == 16
    hasUnassociatedAlpha = header.hasUnassociatedAlpha
    row = Array(repeating: 0, count: header.size.width * samples.count * (isDeep ? 2 : 1))
  }

  func readRow(into pixels: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    try row.withUnsafeMutableBufferPointer { (row) throws(ImageDecodingError) in
      guard let start = row.baseAddress else { return }
      try reader.readSamples(row: nextRow, into: start)
      if isDeep { Self.keepHighBytes(of: UnsafeMutableRawBufferPointer(row)) }
      convert(start, to: pixels)
    }
    nextRow += 1
  }

  func finish() {}

  /// Moves the high byte of each 16-bit sample to the front.
  private static func keepHighBytes(of bytes: UnsafeMutableRawBufferPointer) {
    for index in 0..<bytes.count / 2 {
      bytes[index] = UInt8(bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self) >> 8)
    }
  }

  private func convert(_ source: UnsafePointer<UInt8>, to pixels: UnsafeMutablePointer<UInt8>) {
    switch samples {
    case .cmyk(let transform?): transform.convert(source, to: pixels, count: size.width)
    case .cmyk(nil):
      each(source, pixels) { inks, pixel in
        let light = 255 - Int(inks[3])
        for channel in 0..<3 { pixel[channel] = UInt8(light * (255 - Int(inks[channel])) / 255) }
      }
    case .lab(let isSigned):
      each(source, pixels) { lab, pixel in
        let axes =
          isSigned
          ? (Int(Int8(bitPattern: lab[1])), Int(Int8(bitPattern: lab[2]))) : (Int(lab[1]) - 128, Int(lab[2]) - 128)
        let color = LabColor(lightness: Double(lab[0]) / 2.55, a: Double(axes.0), b: Double(axes.1)).sRGB
        for channel in 0..<3 { pixel[channel] = color[channel] }
      }
    case .paletteAndAlpha:
      each(source, pixels) { sample, pixel in
        let (color, alpha) = (palette[Int(sample[0])], sample[1])
        for channel in 0..<3 {
          pixel[channel] =
            hasUnassociatedAlpha
            ? UInt8((Int(color[channel]) * Int(alpha) + 127) / 255) : min(color[channel], alpha)
        }
        pixel[3] = alpha
      }
    }
  }

  private func each(
    _ source: UnsafePointer<UInt8>, _ pixels: UnsafeMutablePointer<UInt8>,
    _ convert: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
  ) {
    for column in 0..<size.width {
      let pixel = pixels + column * 4
      pixel[3] = 255
      convert(source + column * samples.count, pixel)
    }
  }
}

/// A colour of CIE L*a*b* with the white D50, as in TIFF and ICC profiles.
struct LabColor {
  /// From 0 to 100.
  let lightness: Double
  let a: Double
  let b: Double

  /// XYZ with the white D50 to linear sRGB, which includes the adaptation to D65 by Bradford's method.
  private static let matrix = [
    [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.0334540], [0.0719453, -0.2289914, 1.4052427],
  ]
  private static let white = [0.9642, 1.0, 0.8249]

  /// Red, green and blue, clipped.
  var sRGB: [UInt8] {
    let y = (lightness + 16) / 116
    let xyz = zip([y + a / 500, y, y - b / 200], Self.white).map { value, white in
      white * (value > 6.0 / 29 ? value * value * value : (value - 4.0 / 29) * 108 / 841)
    }
    return Self.matrix.map { row in
      let linear = min(1, max(0, zip(row, xyz).reduce(0) { $0 + $1.0 * $1.1 }))
      let encoded = linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
      return UInt8((encoded * 255).rounded())
    }
  }
}
#endif
