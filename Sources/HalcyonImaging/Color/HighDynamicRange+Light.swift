import Foundation

extension HighDynamicRange {
  /// The light of each sample: of PQ relative to reference white, of hybrid log-gamma that of the scene from 0 to 1.
  var light: [Float] {
    switch (transfer, targetRange) {
    case (.pq, .standard): Tables.pq
    case (.pq, .high): Tables.finePQ
    case (.hlg, .standard): Tables.hlg
    case (.hlg, .high): Tables.fineHLG
    }
  }

  enum Tables {
    static let pq = table(.pq, depth: 12)
    static let finePQ = table(.pq, depth: 16)
    static let hlg = table(.hlg, depth: 12)
    static let fineHLG = table(.hlg, depth: 16)

    private static func table(_ transfer: Transfer, depth: Int) -> [Float] {
      let largest = 1 << depth - 1
      return (0...largest).map { Float(transfer.light(Double($0) / Double(largest))) }
    }
  }
}

extension HighDynamicRange.Transfer {
  /// The light of a value from 0 to 1.
  fileprivate func light(_ value: Double) -> Double {
    switch self {
    case .pq: PerceptualQuantizer.light(value)
    case .hlg:
      value <= 0.5 ? value * value / 3 : (exp((value - Self.c) / Self.a) + Self.b) / 12
    }
  }

  /// The constants of hybrid log-gamma.
  private static let a = 0.178_832_77
  private static let b = 1 - 4 * a
  private static let c = 0.5 - a * log(4 * a)
}

/// The transfer function of SMPTE ST 2084. Light is relative to reference white, values are from 0 to 1.
package enum PerceptualQuantizer {
  private static let (m1, m2) = (2610.0 / 16_384, 2523.0 / 32)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)
  private static let highestLight = HighDynamicRange.highestPeak / HighDynamicRange.referenceWhite

  static func light(_ value: Double) -> Double {
    let power = pow(value, 1 / m2)
    return pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1) * highestLight
  }

  static func value(_ light: Double) -> Double {
    let power = pow(min(max(light / highestLight, 0), 1), m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }
}
