import CLCMS

/// Turns the colours of an image into sRGB with 8 bits a channel, through Little CMS.
///
/// The intent is perceptual with black point compensation: printers' profiles bring a table for it, colours of a
/// display are matched relative to its white, and what sRGB does not have is cut to the nearest that it has.
///
/// Unchecked: Little CMS only reads a transform that has no cache of the last pixel, so any thread may use it.
final class ColorTransform: @unchecked Sendable {
  private static let flags = cmsUInt32Number(cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION)

  private let layout: ColorLayout
  private let handle: cmsHTRANSFORM

  /// `nil` where the description is damaged or is not about such pixels. Costs up to some milliseconds; a
  /// ``ColorTransformCache`` saves them.
  init?(_ description: ColorDescription, layout: ColorLayout) {
    guard let profile = description.openProfile() else { return nil }
    defer { cmsCloseProfile(profile) }
    guard cmsGetColorSpace(profile) == layout.colorSpace, let target = cmsCreate_sRGBProfile() else { return nil }
    defer { cmsCloseProfile(target) }
    let flags = Self.flags | (layout.copiesAlpha ? cmsUInt32Number(cmsFLAGS_COPY_ALPHA) : 0)
    guard
      let handle = cmsCreateTransform(
        profile, layout.format, target, lcms_shim_rgba_8, cmsUInt32Number(INTENT_PERCEPTUAL), flags)
    else { return nil }
    self.layout = layout
    self.handle = handle
  }

  deinit { cmsDeleteTransform(handle) }

  /// Writes `count` pixels of red, green, blue and straight alpha, 255 where the layout has none.
  ///
  /// - Parameter source: `count` pixels of the ``layout``; may be `target` where one of its pixels has four bytes.
  func convert(_ source: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>, count: Int) {
    cmsDoTransform(handle, source, target, cmsUInt32Number(count))
    switch layout {
    case .rgba8, .rgba16: break
    case .greyInRGBA8:
      let source = source.assumingMemoryBound(to: UInt8.self)
      for alpha in stride(from: 3, to: count * 4, by: 4) { target[alpha] = source[alpha] }
    default:
      for alpha in stride(from: 3, to: count * 4, by: 4) { target[alpha] = 255 }
    }
  }

  /// Converts `count` pixels of four bytes, whose colours are multiplied by alpha, in place.
  fileprivate func convertPremultiplied(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
    AlphaMath.unpremultiply(pixels, count: count, into: pixels)
    convert(pixels, to: pixels, count: count)
    AlphaMath.premultiply(pixels, count: count)
  }

  /// Whether the colours are those of sRGB already, to the last of 8 bits.
  var isIdentity: Bool {
    switch layout.colorSpace {
    case cmsSigRgbData: isIdentity(of: Self.colors)
    case cmsSigGrayData: isIdentity(of: (0...255).map { SIMD3(repeating: $0) })
    default: false
    }
  }

  /// Colours all over the cube.
  private static let colors: [SIMD3<UInt8>] = {
    let steps = stride(from: 0, through: 255, by: 15).map { UInt8($0) }
    return steps.flatMap { red in steps.flatMap { green in steps.map { SIMD3(red, green, $0) } } }
  }()

  private func isIdentity(of colors: [SIMD3<UInt8>]) -> Bool {
    var output = [UInt8](repeating: 0, count: colors.count * 4)
    convert(colors.flatMap(sample), to: &output, count: colors.count)
    return colors.indices.allSatisfy { index in
      (0..<3).allSatisfy { abs(Int(colors[index][$0]) - Int(output[index * 4 + $0])) <= 1 }
    }
  }

  /// One opaque pixel of the layout.
  private func sample(_ color: SIMD3<UInt8>) -> [UInt8] {
    let channels = [color.x, color.y, color.z, 255]
    switch layout {
    case .rgb8: return Array(channels.prefix(3))
    case .rgb16: return channels.prefix(3).flatMap { [$0, $0] }
    case .rgba16: return channels.flatMap { [$0, $0] }
    case .grey8: return [color.x]
    case .grey16: return [color.x, color.x]
    default: return channels
    }
  }
}

/// How the pixels lie that a ``ColorTransform`` reads. Samples of 16 bits are in the byte order of the machine.
enum ColorLayout: Hashable, Sendable {
  case rgb8
  case rgb16
  /// Alpha is straight and is kept.
  case rgba8
  /// Alpha is straight and is kept, with 8 bits.
  case rgba16
  case grey8
  case grey16
  /// Four bytes a pixel: grey, two that are passed over, and straight alpha, which is kept.
  case greyInRGBA8
  /// 255 is all of the ink.
  case cmyk8
  /// 255 is none of the ink, as Adobe writes JPEG.
  case cmyk8Inverted

  /// Whether Little CMS passes alpha on.
  fileprivate var copiesAlpha: Bool { self == .rgba8 || self == .rgba16 }

  /// The colour space that a profile must have for these pixels.
  fileprivate var colorSpace: cmsColorSpaceSignature {
    switch self {
    case .rgb8, .rgb16, .rgba8, .rgba16: cmsSigRgbData
    case .grey8, .grey16, .greyInRGBA8: cmsSigGrayData
    case .cmyk8, .cmyk8Inverted: cmsSigCmykData
    }
  }

  /// The layout in the terms of Little CMS.
  fileprivate var format: cmsUInt32Number {
    switch self {
    case .rgb8: lcms_shim_rgb_8
    case .rgb16: lcms_shim_rgb_16
    case .rgba8: lcms_shim_rgba_8
    case .rgba16: lcms_shim_rgba_16
    case .grey8: lcms_shim_gray_8
    case .grey16: lcms_shim_gray_16
    case .greyInRGBA8: lcms_shim_gray_in_rgba_8
    case .cmyk8: lcms_shim_cmyk_8
    case .cmyk8Inverted: lcms_shim_cmyk_8_inverted
    }
  }
}

extension Bitmap {
  /// Turns the colours into sRGB.
  ///
  /// - Parameter transform: One for four bytes a pixel.
  mutating func convertColors(with transform: ColorTransform) throws(BitmapError) {
    let (size, isOpaque, bytesPerRow) = (size, isOpaque, bytesPerRow)
    try withUnsafeMutableBytes { bytes in
      guard var row = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      for _ in 0..<size.height {
        if isOpaque {
          transform.convert(row, to: row, count: size.width)
        } else {
          transform.convertPremultiplied(row, count: size.width)
        }
        row += bytesPerRow
      }
    }
  }
}
