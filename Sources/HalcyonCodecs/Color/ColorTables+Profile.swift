#if !IMAGEIO
import CLCMS
import HalcyonImaging

extension ColorTables {
  /// A third of a level at black, where sRGB is steepest.
  private static let tolerance: Float = 1e-4

  /// Tables for an RGB profile, or `nil` if the light of its channels is not added, as with profiles of printers.
  init?(_ profile: cmsHPROFILE, to space: ColorSpace) {
    guard let target = space.openLightProfile() else { return nil }
    defer { cmsCloseProfile(target) }
    guard let transform = LittleCMS.makeTransform(profile, lcms_shim_rgba_float, to: target, lcms_shim_rgba_float)
    else { return nil }
    defer { cmsDeleteTransform(transform) }
    func light(_ colors: [SIMD4<Float>]) -> [SIMD4<Float>] {
      var light = colors
      cmsDoTransform(transform, colors, &light, cmsUInt32Number(colors.count))
      return light
    }
    let values = (0...255).map { Float($0) / 255 }
    // Each value of each channel alone. Black is added once, with red.
    var parts = light(values.map { [$0, 0, 0, 1] } + values.map { [0, $0, 0, 1] } + values.map { [0, 0, $0, 1] })
    let black = parts[0]
    for index in 256..<768 { parts[index] -= black }
    let grid = Self.grid
    for (color, expected) in zip(grid, light(grid.map { [values[$0.x], values[$0.y], values[$0.z], 1] })) {
      let difference = parts[color.x] + parts[256 + color.y] + parts[512 + color.z] - expected
      guard (0..<3).allSatisfy({ difference[$0].magnitude <= Self.tolerance }) else { return nil }
    }
    self.init(light: parts.map { SIMD3(Double($0.x), Double($0.y), Double($0.z)) })
  }

  /// Colours by which a profile is found to add the light of its channels.
  private static let grid: [SIMD3<Int>] = {
    let steps = stride(from: 0, through: 255, by: 51)
    return steps.flatMap { red in steps.flatMap { green in steps.map { SIMD3(red, green, $0) } } }
  }()
}
#endif
