#if !IMAGEIO
import HalcyonImaging
import CHalcyonLCMS

/// Converts the colours of an image to sRGB or Display P3 with 8 bits per channel, as Little CMS does.
///
/// Unchecked: without its one-pixel cache, a Little CMS transform is only read, so any thread may use it.
final class ColorTransform: @unchecked Sendable {
  private enum Method {
    /// For profiles of three curves and a matrix, as cameras and displays have: eight times as fast as Little CMS, from
    /// which they differ by a level at most.
    case tables(ColorTables)
    /// The opaque colours of the 256 greys.
    case greys([UInt32])
    case littleCMS(cmsHTRANSFORM)
  }

  private let layout: ColorLayout
  private let method: Method

  /// Creates a transform, or `nil` when the description is damaged or does not apply to the layout.
  ///
  /// Takes up to a few milliseconds; use a ``ColorTransformCache`` to reuse transforms.
  init?(_ description: ColorDescription, layout: ColorLayout, to space: ColorSpace) {
    guard let profile = description.openProfile() else { return nil }
    defer { cmsCloseProfile(profile) }
    guard cmsGetColorSpace(profile) == layout.colorSpace else { return nil }
    self.layout = layout
    if layout == .rgba8, let tables = ColorTables(profile, to: space) {
      method = .tables(tables)
      return
    }
    guard let target = space.openProfile() else { return nil }
    defer { cmsCloseProfile(target) }
    guard let handle = LittleCMS.makeTransform(profile, layout.format, to: target, lcms_shim_rgba_8) else { return nil }
    guard layout == .greyInRGBA8 else {
      method = .littleCMS(handle)
      return
    }
    defer { cmsDeleteTransform(handle) }
    let greys = (0...255).map { UInt32($0).littleEndian }
    var colors = greys
    cmsDoTransform(handle, greys, &colors, cmsUInt32Number(greys.count))
    method = .greys(colors.map { UInt32(littleEndian: $0) | 0xFF00_0000 })
  }

  deinit {
    if case .littleCMS(let handle) = method { cmsDeleteTransform(handle) }
  }

  /// Writes `count` pixels of RGBA with straight alpha, 255 if the layout has no alpha.
  ///
  /// - Parameter source: `count` pixels in the layout; may equal `target`.
  func convert(_ source: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>, count: Int) {
    switch method {
    case .tables(let tables): tables.convert(source, to: target, count: count)
    case .greys(let greys):
      let target = UnsafeMutableRawPointer(target)
      for offset in stride(from: 0, to: count * 4, by: 4) {
        let pixel = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let color = greys[Int(pixel & 255)] & (pixel | 0x00FF_FFFF)
        target.storeBytes(of: color.littleEndian, toByteOffset: offset, as: UInt32.self)
      }
    case .littleCMS(let handle):
      cmsDoTransform(handle, source, target, cmsUInt32Number(count))
      guard layout != .rgba8 else { return }
      for alpha in stride(from: 3, to: count * 4, by: 4) { target[alpha] = 255 }
    }
  }

  /// Converts `count` pixels of premultiplied RGBA in place.
  fileprivate func convertPremultiplied(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
    AlphaMath.unpremultiply(pixels, count: count, into: pixels)
    convert(pixels, to: pixels, count: count)
    AlphaMath.premultiply(pixels, count: count)
  }

  /// Whether the transform changes no 8-bit channel by more than 1.
  var isIdentity: Bool {
    switch layout {
    case .rgba8: isIdentity(of: Self.colors)
    case .greyInRGBA8: isIdentity(of: Self.greys)
    case .cmyk8, .cmyk8Inverted: false
    }
  }

  /// A regular grid over the RGB cube, as RGBA.
  private static let colors: [UInt8] = {
    let steps = stride(from: 0, through: 255, by: 15).map { UInt8($0) }
    return steps.flatMap { red in steps.flatMap { green in steps.flatMap { [red, green, $0, 255] } } }
  }()

  private static let greys: [UInt8] = (0...255).flatMap { [$0, $0, $0, 255] }

  private func isIdentity(of colors: [UInt8]) -> Bool {
    var output = colors
    convert(colors, to: &output, count: colors.count / 4)
    return zip(colors, output).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
  }
}

/// The pixel layout that a ``ColorTransform`` reads.
enum ColorLayout: Hashable, Sendable {
  /// Straight alpha, copied.
  case rgba8
  /// Four bytes per pixel: grey, two ignored bytes, and straight alpha, copied.
  case greyInRGBA8
  /// 255 is full ink.
  case cmyk8
  /// 255 is no ink, as in JPEG files written by Adobe.
  case cmyk8Inverted

  /// The colour space that a profile needs to apply to this layout.
  fileprivate var colorSpace: cmsColorSpaceSignature {
    switch self {
    case .rgba8: cmsSigRgbData
    case .greyInRGBA8: cmsSigGrayData
    case .cmyk8, .cmyk8Inverted: cmsSigCmykData
    }
  }

  /// The Little CMS pixel format of the layout.
  fileprivate var format: cmsUInt32Number {
    switch self {
    case .rgba8: lcms_shim_rgba_8
    case .greyInRGBA8: lcms_shim_gray_in_rgba_8
    case .cmyk8: lcms_shim_cmyk_8
    case .cmyk8Inverted: lcms_shim_cmyk_8_inverted
    }
  }
}

extension Bitmap {
  /// Converts the colours in place.
  ///
  /// - Parameter transform: A transform from a layout of four bytes per pixel.
  mutating func convertColors(with transform: ColorTransform, isCancelled: () -> Bool) throws {
    let (size, isOpaque, bytesPerRow) = (size, isOpaque, bytesPerRow)
    var hasStopped = false
    try withUnsafeMutableBytes { bytes in
      guard var row = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      for index in 0..<size.height {
        if index % 16 == 0, isCancelled() {
          hasStopped = true
          return
        }
        if isOpaque {
          transform.convert(row, to: row, count: size.width)
        } else {
          transform.convertPremultiplied(row, count: size.width)
        }
        row += bytesPerRow
      }
    }
    if hasStopped { throw ImageDecodingError.cancelled }
  }
}
#endif
