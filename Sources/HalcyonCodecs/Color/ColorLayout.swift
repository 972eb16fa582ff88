import CLCMS

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

  var bytesPerPixel: Int {
    switch self {
    case .rgb8: 3
    case .rgb16: 6
    case .rgba8, .greyInRGBA8, .cmyk8, .cmyk8Inverted: 4
    case .rgba16: 8
    case .grey8: 1
    case .grey16: 2
    }
  }

  /// Whether Little CMS passes alpha on.
  var copiesAlpha: Bool { self == .rgba8 || self == .rgba16 }

  /// The colour space that a profile must have for these pixels.
  var colorSpace: cmsColorSpaceSignature {
    switch self {
    case .rgb8, .rgb16, .rgba8, .rgba16: cmsSigRgbData
    case .grey8, .grey16, .greyInRGBA8: cmsSigGrayData
    case .cmyk8, .cmyk8Inverted: cmsSigCmykData
    }
  }

  /// The layout in the terms of Little CMS.
  var format: cmsUInt32Number {
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
