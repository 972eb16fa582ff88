#if !IMAGEIO
import Foundation
import HalcyonImaging

/// Samples that are read as they are stored, because libtiff converts them wrongly, ignores their profile, or does not
/// convert them.
struct TIFFSamples {
  /// The meaning of a pixel's samples.
  enum Colors {
    /// White is the greatest value, or 0.
    case grey(isInverted: Bool)
    case rgb
    case palette
    /// Lightness and two axes: CIELab stores the axes as signed numbers, ICCLab with an offset.
    case lab(isSigned: Bool)
    /// Four inks, with the transform of the profile; without one, as libtiff converts 8 bits.
    case cmyk(ColorTransform?)
  }

  let colors: Colors
  /// Samples per pixel, those after the colours included.
  let count: Int
  let bits: Int
  let kind: TIFFSampleKind
  let hasAlpha: Bool
  let hasUnassociatedAlpha: Bool

  /// The samples of an image; `nil` if libtiff converts them correctly, or they are not supported.
  init?(_ header: TIFFHeader, cmyk transform: ColorTransform?) {
    (count, bits, kind) = (header.samplesPerPixel, header.bitDepth, header.sampleKind)
    (hasAlpha, hasUnassociatedAlpha) = (header.hasAlpha, header.hasUnassociatedAlpha)
    let isPlain = kind == .unsigned && (bits == 8 || bits == 16)
    // The axes of L*a*b* are signed, whatever the format says.
    let isPlainLab = kind != .float && (bits == 8 || bits == 16)
    // Signed numbers of one bit have none above 0.
    let isWhole = (bits <= 16 || bits == 32) && (kind == .unsigned || bits > 1)
    guard kind == .float ? [16, 32, 64].contains(bits) : isWhole else { return nil }
    // libtiff loses its place at the right end of tiles that the image cuts.
    let isCut = bits == 16 && header.isTiled
    switch header.photometric {
    case let grey where TIFFHeader.Photometric.greys.contains(grey) && (hasAlpha || !isPlain && bits >= 8 || isCut):
      colors = .grey(isInverted: grey == 0)
    case TIFFHeader.Photometric.rgb where !isPlain: colors = .rgb
    case TIFFHeader.Photometric.palette where kind != .float && bits <= 16 && (hasAlpha || bits > 8): colors = .palette
    case TIFFHeader.Photometric.cieLab where isPlainLab: colors = .lab(isSigned: true)
    case TIFFHeader.Photometric.iccLab where isPlainLab: colors = .lab(isSigned: false)
    case TIFFHeader.Photometric.separated where !isPlain || bits == 16 || transform != nil && count == 4:
      colors = .cmyk(transform)
    default: return nil
    }
    guard count >= colorCount else { return nil }
  }

  /// Whether the rows are opaque: samples after the inks are not read.
  var isOpaque: Bool { if case .cmyk = colors { true } else { !hasAlpha } }

  /// Whether the profile of the file is still to be applied to the rows.
  var hasProfile: Bool {
    switch colors {
    case .grey, .rgb, .palette: true
    case .lab, .cmyk: false
    }
  }

  private var colorCount: Int {
    switch colors {
    case .grey, .palette: 1
    case .rgb, .lab: 3
    case .cmyk: 4
    }
  }

  /// The whole number of a sample; samples that are not whole bytes are packed from the highest bit on.
  func stored(_ index: Int, in row: UnsafeRawPointer) -> UInt32 {
    switch bits {
    case 8: UInt32(row.load(fromByteOffset: index, as: UInt8.self))
    case 16: UInt32(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    case 32: row.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
    default:
      (index * bits..<(index + 1) * bits).reduce(0) { value, bit in
        value << 1 | UInt32(row.load(fromByteOffset: bit / 8, as: UInt8.self) >> (7 - bit % 8) & 1)
      }
    }
  }

  /// A sample from 0 to 255.
  private func byte(_ index: Int, in row: UnsafeRawPointer) -> UInt8 {
    if kind != .float {
      let value = UInt64(stored(index, in: row))
      let greatest = UInt64(1) << (kind == .signed ? bits - 1 : bits) - 1
      return value > greatest ? 0 : UInt8((value * 255 + greatest / 2) / greatest)
    }
    let value =
      switch bits {
      case 16: Self.half(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
      case 32: Double(row.loadUnaligned(fromByteOffset: index * 4, as: Float.self))
      default: row.loadUnaligned(fromByteOffset: index * 8, as: Double.self)
      }
    // The comparison is false for NaN.
    return value > 0 ? UInt8((min(value, 1) * 255).rounded()) : 0
  }

  /// A number of 16 bits (IEEE 754 binary16), for which Swift has no type on all systems.
  private static func half(_ bits: UInt16) -> Double {
    let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023) / 1024)
    let value = exponent == 0 ? scalbn(fraction, -14) : scalbn(1 + fraction, exponent - 15)
    return bits & 0x8000 == 0 ? value : -value
  }

  /// Writes a pixel: RGBA with colours multiplied by alpha, or four inks.
  fileprivate func convert(
    _ pixel: Int, of row: UnsafeRawPointer, palette: TIFFReader.Palette?, to target: UnsafeMutablePointer<UInt8>
  ) {
    let first = pixel * count
    target[3] = 255
    switch colors {
    case .grey(let isInverted):
      let grey = byte(first, in: row)
      for channel in 0..<3 { target[channel] = isInverted ? 255 - grey : grey }
    case .rgb: for channel in 0..<3 { target[channel] = byte(first + channel, in: row) }
    case .palette: palette?.write(Int(stored(first, in: row)), to: target)
    case .lab(let isSigned): lab(first, in: row, isSigned: isSigned).write(to: target)
    case .cmyk:
      for channel in 0..<4 { target[channel] = byte(first + channel, in: row) }
      return
    }
    guard hasAlpha, count > colorCount else { return }
    let alpha = byte(first + colorCount, in: row)
    for channel in 0..<3 {
      target[channel] =
        hasUnassociatedAlpha ? UInt8((Int(target[channel]) * Int(alpha) + 127) / 255) : min(target[channel], alpha)
    }
    target[3] = alpha
  }

  private func lab(_ first: Int, in row: UnsafeRawPointer, isSigned: Bool) -> LabColor {
    let greatest = bits == 8 ? 255.0 : isSigned ? 65_535 : 65_280
    func axis(_ index: Int) -> Double {
      let value = Int(stored(index, in: row))
      let signed = bits == 8 ? Int(Int8(truncatingIfNeeded: value)) : Int(Int16(truncatingIfNeeded: value))
      let unit = bits == 8 ? 1 : 256
      return Double(isSigned ? signed : value - 128 * unit) / Double(unit)
    }
    return LabColor(
      lightness: Double(stored(first, in: row)) * 100 / greatest, a: axis(first + 1), b: axis(first + 2))
  }
}

/// The rows of an image whose samples are read as they are stored.
final class TIFFSampleRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let reader: TIFFReader
  private let samples: TIFFSamples
  private let palette: TIFFReader.Palette?
  private let isCancelled: () -> Bool
  private var row: [UInt8]
  private var inks: [UInt8] = []
  /// The columns that are read.
  private var columns: Range<Int>
  private var nextRow = 0

  /// `nil` if the file does not store them so.
  init?(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, samples: TIFFSamples, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    guard let reader = try TIFFReader(bytes, header, samples: samples) else { return nil }
    palette = reader.palette(bits: samples.bits)
    if case .palette = samples.colors, palette == nil { throw .corrupt(.tiff, reason: "it has no palette") }
    self.reader = reader
    self.samples = samples
    self.isCancelled = isCancelled
    size = header.size
    columns = 0..<header.size.width
    isOpaque = samples.isOpaque
    row = Array(repeating: 0, count: (header.size.width * samples.count * samples.bits + 7) / 8)
    if case .cmyk = samples.colors { inks = Array(repeating: 0, count: header.size.width * 4) }
  }

  func limit(to area: PixelArea) { columns = reader.limit(to: area.left..<area.left + area.width) }

  func skipRows(_ count: Int) { nextRow += count }

  func readRow(into pixels: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
    try row.withUnsafeMutableBufferPointer { (row) throws(ImageDecodingError) in
      guard let start = row.baseAddress else { return }
      try reader.readSamples(row: nextRow, into: start)
      convert(UnsafeRawPointer(start), to: pixels)
    }
    nextRow += 1
  }

  func finish() {}

  private func convert(_ row: UnsafeRawPointer, to pixels: UnsafeMutablePointer<UInt8>) {
    guard case .cmyk(let transform) = samples.colors else {
      for column in columns { samples.convert(column, of: row, palette: palette, to: pixels + column * 4) }
      return
    }
    inks.withUnsafeMutableBufferPointer { inks in
      guard let inks = inks.baseAddress else { return }
      for column in columns { samples.convert(column, of: row, palette: nil, to: inks + column * 4) }
      if let transform { return transform.convert(inks, to: pixels, count: size.width) }
      for column in columns {
        let (ink, pixel) = (inks + column * 4, pixels + column * 4)
        for channel in 0..<3 { pixel[channel] = UInt8((255 - Int(ink[3])) * (255 - Int(ink[channel])) / 255) }
        pixel[3] = 255
      }
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
    [3.1341359, -1.6173863, -0.4906622], [-0.9787955, 1.9162543, 0.0334427], [0.0719554, -0.2289769, 1.4053860],
  ]
  private static let white = [0.9642956, 1.0, 0.8251046]

  /// Writes red, green and blue, clipped.
  func write(to target: UnsafeMutablePointer<UInt8>) {
    let y = (lightness + 16) / 116
    let xyz = zip([y + a / 500, y, y - b / 200], Self.white).map { value, white in
      white * (value > 6.0 / 29 ? value * value * value : (value - 4.0 / 29) * 108 / 841)
    }
    for channel in 0..<3 {
      let row = Self.matrix[channel]
      target[channel] = SRGBTransferFunction.level(row[0] * xyz[0] + row[1] * xyz[1] + row[2] * xyz[2])
    }
  }
}
#endif
