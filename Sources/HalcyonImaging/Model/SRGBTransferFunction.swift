import Foundation

/// The transfer function of sRGB and Display P3 (IEC 61966-2-1).
package enum SRGBTransferFunction {
  /// The steps of ``levels`` from black to white. At black, where the function is steepest, a level has five.
  package static let stepCount = 1 << 14

  /// The 8-bit values of `stepCount + 1` steps of linear light.
  package static let levels: [UInt8] = (0...stepCount).map { step in
    UInt8((255 * value(Double(step) / Double(stepCount))).rounded())
  }

  /// The linear light of a value, both from 0 to 1.
  package static func light(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// The linear light of each 8-bit value.
  package static let lights = (0...255).map { Float(light(Double($0) / 255)) }

  /// The 8-bit value of linear light, which is clipped to 0...1.
  package static func level(_ light: Double) -> UInt8 { UInt8((255 * value(min(1, max(0, light)))).rounded()) }

  /// The value of linear light, both from 0 to 1.
  package static func value(_ light: Double) -> Double {
    light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}
