import Foundation
import HalcyonImaging

/// The parameters of a gain map in the binary form of ISO 21496-1, annex C, which JPEG, HEIC and AVIF files contain.
extension GainMap.Parameters {
  /// Precedes the parameters in a segment of a JPEG file; in the base picture only the version follows.
  static let isoPrefix = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
  /// The versions that a reader needs and that the writer had.
  static let isoVersion: [UInt8] = [0, 0, 0, 0]

  private static let hasChannels: UInt8 = 1 << 7
  private static let usesBaseColors: UInt8 = 1 << 6
  private static let hasOneDenominator: UInt8 = 1 << 3
  private static let isBackward: UInt8 = 1 << 2
  /// The largest denominator that is written: stops to a millionth.
  private static let largestDenominator = 1_000_000.0

  /// `nil` for a later version, truncated bytes, a denominator of 0, and values out of range.
  init?(iso bytes: Bytes) {
    guard bytes.unsigned16(at: 0) == 0, let flags = bytes[4] else { return nil }
    var reader = FractionReader(bytes: bytes, offset: 5)
    if flags & Self.hasOneDenominator != 0 {
      guard let denominator = bytes.bits32(at: 5) else { return nil }
      reader = FractionReader(bytes: bytes, offset: 9, denominator: denominator)
    }
    self.init()
    guard let base = reader.unsigned(), let other = reader.unsigned() else { return nil }
    (capacityMin, capacityMax) = (min(base, other), max(base, other))
    baseIsHDR = base > other || flags & Self.isBackward != 0
    for channel in 0..<(flags & Self.hasChannels == 0 ? 1 : 3) {
      guard let low = reader.signed(), let high = reader.signed(), let exponent = reader.unsigned(),
        let baseOffset = reader.signed(), let otherOffset = reader.signed()
      else { return nil }
      (gainMin[channel], gainMax[channel], gamma[channel]) = (low, high, exponent)
      (offsetSDR[channel], offsetHDR[channel]) = (baseOffset, otherOffset)
    }
    if flags & Self.hasChannels == 0 { repeatFirstChannel() }
    guard isValid else { return nil }
  }

  /// The parameters, after the versions.
  var isoData: Data {
    let count = isSameInChannels ? 1 : 3
    var data = Data(Self.isoVersion)
    data.append(Self.usesBaseColors | (count == 3 ? Self.hasChannels : 0))
    func append(_ number: Double) {
      // Large offsets leave room for fewer digits.
      let denominator = min(Self.largestDenominator, (Double(Int32.max) / max(abs(number), 1)).rounded(.down))
      for value in [number * denominator, denominator] {
        let bits = UInt32(bitPattern: Int32(value.rounded()))
        data.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0)) })
      }
    }
    append(capacityMin)
    append(capacityMax)
    for channel in 0..<count {
      for number in [
        gainMin[channel], gainMax[channel], gamma[channel], offsetSDR[channel], offsetHDR[channel],
      ] { append(number) }
    }
    return data
  }

  /// Whether red, green and blue have the same parameters.
  var isSameInChannels: Bool {
    [gainMin, gainMax, gamma, offsetSDR, offsetHDR].allSatisfy { $0 == SIMD3(repeating: $0.x) }
  }

  mutating func repeatFirstChannel() {
    gainMin = SIMD3(repeating: gainMin.x)
    gainMax = SIMD3(repeating: gainMax.x)
    gamma = SIMD3(repeating: gamma.x)
    offsetSDR = SIMD3(repeating: offsetSDR.x)
    offsetHDR = SIMD3(repeating: offsetHDR.x)
  }
}

/// Reads fractions of 32-bit numbers one after another.
private struct FractionReader {
  let bytes: Bytes
  var offset: Int
  /// `nil` if each fraction has its own.
  var denominator: UInt32?

  mutating func unsigned() -> Double? { quotient { Double($0) } }

  mutating func signed() -> Double? { quotient { Double(Int32(bitPattern: $0)) } }

  private mutating func quotient(_ number: (UInt32) -> Double) -> Double? {
    guard let dividend = bytes.bits32(at: offset), let divisor = denominator ?? bytes.bits32(at: offset + 4),
      divisor > 0
    else { return nil }
    offset += denominator == nil ? 8 : 4
    return number(dividend) / Double(divisor)
  }
}
