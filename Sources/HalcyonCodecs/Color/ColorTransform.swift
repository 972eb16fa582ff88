#if !IMAGEIO
import HalcyonImaging
import CLCMS

/// Converts the colours of an image to sRGB or Display P3 with 8 bits per channel, through Little CMS.
///
/// The rendering intent is perceptual with black point compensation: printer profiles have a table for it, display
/// colours are matched relative to the white point, and out-of-gamut colours are clipped to the nearest ones.
///
/// Unchecked: without its one-pixel cache, a Little CMS transform is only read, so any thread may use it.
final class ColorTransform: @unchecked Sendable {
  private static let flags = cmsUInt32Number(cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION)

  private let layout: ColorLayout
  private let handle: cmsHTRANSFORM

  /// Creates a transform, or `nil` when the description is damaged or does not apply to the layout.
  ///
  /// Takes up to a few milliseconds; use a ``ColorTransformCache`` to reuse transforms.
  init?(_ description: ColorDescription, layout: ColorLayout, to space: ColorSpace) {
    guard let profile = description.openProfile() else { return nil }
    defer { cmsCloseProfile(profile) }
    guard cmsGetColorSpace(profile) == layout.colorSpace, let target = space.openProfile() else { return nil }
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

  /// Writes `count` pixels of RGBA with straight alpha, 255 if the layout has no alpha.
  ///
  /// - Parameter source: `count` pixels in the layout; may equal `target` if a pixel has four bytes.
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

  /// Converts `count` pixels of premultiplied RGBA in place.
  fileprivate func convertPremultiplied(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
    AlphaMath.unpremultiply(pixels, count: count, into: pixels)
    convert(pixels, to: pixels, count: count)
    AlphaMath.premultiply(pixels, count: count)
  }

  /// Whether the transform changes no 8-bit channel by more than 1.
  var isIdentity: Bool {
    switch layout.colorSpace {
    case cmsSigRgbData: isIdentity(of: Self.colors)
    case cmsSigGrayData: isIdentity(of: (0...255).map { SIMD3(repeating: $0) })
    default: false
    }
  }

  /// A regular grid over the RGB cube.
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

/// The pixel layout that a ``ColorTransform`` reads. 16-bit samples are in native byte order.
enum ColorLayout: Hashable, Sendable {
  case rgb8
  case rgb16
  /// Straight alpha, copied.
  case rgba8
  /// Straight alpha, copied as 8 bits.
  case rgba16
  case grey8
  case grey16
  /// Four bytes per pixel: grey, two ignored bytes, and straight alpha, copied.
  case greyInRGBA8
  /// 255 is full ink.
  case cmyk8
  /// 255 is no ink, as in JPEG files written by Adobe.
  case cmyk8Inverted

  /// Whether Little CMS copies the alpha channel.
  fileprivate var copiesAlpha: Bool { self == .rgba8 || self == .rgba16 }

  /// The colour space that a profile needs to apply to this layout.
  fileprivate var colorSpace: cmsColorSpaceSignature {
    switch self {
    case .rgb8, .rgb16, .rgba8, .rgba16: cmsSigRgbData
    case .grey8, .grey16, .greyInRGBA8: cmsSigGrayData
    case .cmyk8, .cmyk8Inverted: cmsSigCmykData
    }
  }

  /// The Little CMS pixel format of the layout.
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
