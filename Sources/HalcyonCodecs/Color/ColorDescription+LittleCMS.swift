#if !IMAGEIO
import CHalcyonLCMS
import Foundation
import HalcyonImaging

/// Settings shared by all transforms of Little CMS.
enum LittleCMS {
  private static let flags = cmsUInt32Number(cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION)

  /// A transform between pixel formats, which the caller deletes; `nil` if the profiles cannot be connected.
  ///
  /// The rendering intent is perceptual with black point compensation: printer profiles have a table for it, display
  /// colours are matched relative to the white point, and out-of-gamut colours are clipped to the nearest ones.
  static func makeTransform(
    _ source: cmsHPROFILE, _ format: cmsUInt32Number, to target: cmsHPROFILE, _ targetFormat: cmsUInt32Number
  ) -> cmsHTRANSFORM? {
    let flags = flags | (format == lcms_shim_rgba_8 ? cmsUInt32Number(cmsFLAGS_COPY_ALPHA) : 0)
    return cmsCreateTransform(source, format, target, targetFormat, cmsUInt32Number(INTENT_PERCEPTUAL), flags)
  }
}

extension ColorSpace {
  /// The profile as a Little CMS handle, which the caller closes.
  func openProfile() -> cmsHPROFILE? {
    switch self {
    case .sRGB: cmsCreate_sRGBProfile()
    case .displayP3: ColorDescription.display(chromaticities, .sRGB).openProfile()
    }
  }

  /// The profile of the space's linear light.
  func openLightProfile() -> cmsHPROFILE? { ColorDescription.display(chromaticities, .gamma(1)).openProfile() }
}

extension ColorDescription {
  /// The profile as a Little CMS handle, which the caller closes; `nil` when damaged, too large or invalid.
  func openProfile() -> cmsHPROFILE? {
    switch self {
    case .profile(let data):
      guard data.count <= Self.profileByteLimit else { return nil }
      return data.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number($0.count)) }
    case .display(let chromaticities, let curve):
      return Self.makeProfile(chromaticities, curve)
    }
  }

  private static func makeProfile(_ chromaticities: Chromaticities, _ curve: TransferCurve) -> cmsHPROFILE? {
    guard chromaticities.isValid, let curve = curve.makeToneCurve() else { return nil }
    defer { cmsFreeToneCurve(curve) }
    var white = chromaticities.white.xyY
    var primaries = cmsCIExyYTRIPLE(
      Red: chromaticities.red.xyY, Green: chromaticities.green.xyY, Blue: chromaticities.blue.xyY)
    var curves: [OpaquePointer?] = [curve, curve, curve]
    return cmsCreateRGBProfile(&white, &primaries, &curves)
  }
}

extension Chromaticities.Point {
  fileprivate var xyY: cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
}

extension TransferCurve {
  /// The curve as a Little CMS object, which the caller frees.
  fileprivate func makeToneCurve() -> OpaquePointer? {
    switch self {
    case .sRGB: cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    case .gamma(let exponent): cmsBuildGamma(nil, exponent)
    }
  }
}
#endif
