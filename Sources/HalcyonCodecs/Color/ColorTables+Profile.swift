#if !IMAGEIO
import CHalcyonLCMS
import HalcyonImaging

extension ColorTables {
  /// Tables for an RGB profile of three curves and a matrix; `nil` for profiles with lookup tables.
  init?(_ profile: cmsHPROFILE, to space: ColorSpace) {
    guard cmsIsMatrixShaper(profile) != 0, cmsIsTag(profile, cmsSigAToB0Tag) == 0,
      cmsIsTag(profile, cmsSigDToB0Tag) == 0, let target = space.openLightProfile()
    else { return nil }
    defer { cmsCloseProfile(target) }
    guard let transform = LittleCMS.makeTransform(profile, lcms_shim_rgba_float, to: target, lcms_shim_rgba_float)
    else { return nil }
    defer { cmsDeleteTransform(transform) }
    // The colours with one channel at each of its values, and the other channels 0.
    let values = (0...255).map { Float($0) / 255 }
    let colors: [SIMD4<Float>] =
      values.map { [$0, 0, 0, 1] } + values.map { [0, $0, 0, 1] } + values.map { [0, 0, $0, 1] }
    var light = colors
    cmsDoTransform(transform, colors, &light, cmsUInt32Number(colors.count))
    // The light of black is in all three channels; only red keeps it, so that their sum has it once.
    let black = light[0]
    for index in 256..<768 { light[index] -= black }
    self.init(light: light.map { SIMD3(Double($0.x), Double($0.y), Double($0.z)) })
  }
}
#endif
