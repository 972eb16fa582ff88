import Foundation
import HalcyonSupport

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

  fileprivate enum Tables {
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

extension PerceptualQuantizer {
  private static let largestSample = 65_535.0
  /// The samples of the finite half floats from 0.
  private static let samples = (0..<UInt16(0x7C00)).map { bits in
    UInt16((value(Double(HalfFloat.number(bits))) * largestSample).rounded())
  }
  private static let toBT2020 = ColorMatrix(from: .displayP3, to: .bt2020)

  /// Converts premultiplied half floats of Display P3 to samples with 16 bits in BT.2020: red, green, blue and, if there
  /// are four channels, straight alpha.
  package static func convert(
    _ pixels: UnsafeRawPointer, count: Int, into target: UnsafeMutablePointer<UInt16>, channelCount: Int
  ) {
    let matrix = toBT2020
    samples.withUnsafeBufferPointer { samples in
      LightStrip.withStrip { strip in
        for start in stride(from: 0, to: count, by: LightStrip.count) {
          let columns = 0..<min(LightStrip.count, count - start)
          strip.readHalfFloats(pixels + start * 8, count: columns.count)
          strip.map { light, _ in matrix(light).map { Float(bitPattern: UInt32(HalfFloat.bits($0))) } }
          for column in columns {
            let (light, pixel) = (strip[column], target + (start &+ column) &* channelCount)
            pixel[0] = samples[Int(light.red.bitPattern)]
            pixel[1] = samples[Int(light.green.bitPattern)]
            pixel[2] = samples[Int(light.blue.bitPattern)]
            guard channelCount == 4 else { continue }
            let alpha = strip.factors[column].atLeast(0).atMost(1) * Float(largestSample)
            pixel[3] = UInt16(truncatingIfNeeded: alpha.inLowerBits.wholeNumber)
          }
        }
      }
    }
  }

  /// The brightest pixel, and the mean of all.
  fileprivate static func light(of samples: [UInt16], channelCount: Int) -> ContentLight {
    var (largest, sum) = (UInt16(0), 0.0)
    HighDynamicRange.Tables.finePQ.withUnsafeBufferPointer { light in
      for start in stride(from: 0, to: samples.count, by: channelCount) {
        let brightest = max(samples[start], samples[start + 1], samples[start + 2])
        largest = max(largest, brightest)
        sum += Double(light[Int(brightest)])
      }
    }
    let mean = sum / Double(samples.count / channelCount) * HighDynamicRange.referenceWhite
    let peak = Double(HighDynamicRange.Tables.finePQ[Int(largest)]) * HighDynamicRange.referenceWhite
    return ContentLight(contentPeak: peak, contentMean: mean)
  }
}

/// A bitmap of half floats as samples of PQ in BT.2020 with 16 bits, for files.
package struct PerceptualSamples {
  /// Red, green, blue and, unless the bitmap is opaque, straight alpha.
  package let values: [UInt16]
  package let channelCount: Int
  package let light: ContentLight

  /// - Throws: `CancellationError` once a pipeline needs the file no more.
  package init(_ bitmap: Bitmap) throws {
    let (size, channelCount) = (bitmap.size, bitmap.isOpaque ? 3 : 4)
    var values = [UInt16](repeating: 0, count: size.pixelCount * channelCount)
    try bitmap.withUnsafeBytes { bytes in
      try values.withUnsafeMutableBufferPointer { values in
        guard let pixels = bytes.baseAddress, let start = values.baseAddress else { return }
        for row in 0..<size.height {
          try CancellationFlag.checkCurrent(atRow: row)
          PerceptualQuantizer.convert(
            pixels + row * bitmap.bytesPerRow, count: size.width, into: start + row * size.width * channelCount,
            channelCount: channelCount)
        }
      }
    }
    (self.values, self.channelCount) = (values, channelCount)
    light = PerceptualQuantizer.light(of: values, channelCount: channelCount)
  }
}
