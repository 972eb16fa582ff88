import Foundation

/// How much brighter each part of a standard picture becomes with high dynamic range (ISO 21496-1).
///
/// Behind one reference, since images carry it.
package final class GainMap: Sendable {
  /// The samples of the map as opaque RGBA; its colour space has no meaning. It covers the whole image, and may be
  /// smaller.
  package let bitmap: Bitmap
  /// Whether red, green and blue of all samples are equal.
  package let isGrey: Bool
  package let parameters: Parameters

  package init(_ bitmap: Bitmap, isGrey: Bool, _ parameters: Parameters) {
    (self.bitmap, self.isGrey, self.parameters) = (bitmap, isGrey, parameters)
  }

  /// What the samples of a map mean, for red, green and blue.
  package struct Parameters: Hashable, Sendable {
    /// The gain of samples of 0, in stops.
    package var gainMin = SIMD3<Double>(repeating: 0)
    /// The gain of the largest samples, in stops.
    package var gainMax = SIMD3<Double>(repeating: 0)
    /// The exponent of samples, above 0.
    package var gamma = SIMD3<Double>(repeating: 1)
    /// Added to the standard picture before the gain.
    package var offsetSDR = SIMD3<Double>(repeating: 1.0 / 64)
    /// Subtracted after the gain.
    package var offsetHDR = SIMD3<Double>(repeating: 1.0 / 64)
    /// The headroom of a screen in stops up to which the picture stays as it is.
    package var capacityMin = 0.0
    /// The headroom of a screen in stops from which on the whole gain applies.
    package var capacityMax = 0.0
    /// Whether the picture in the file is the one with high dynamic range.
    package var baseIsHDR = false

    package init() {}
  }

  /// The map with another bitmap.
  package func replacing(_ bitmap: Bitmap) -> GainMap { GainMap(bitmap, isGrey: isGrey, parameters) }
}

extension GainMap.Parameters {
  /// The most stops of a gain or a headroom: no screen has more, and half floats hold it.
  package static let stopLimit = 15.0
  /// The largest offset that ISO 21496-1's form can hold. Usual ones are 1/64; cameras with a gamma of 0.25 have 10.
  private static let offsetLimit = Double(Int32.max)

  /// Whether the numbers are in range, and there is a gain at all.
  package var isValid: Bool {
    func all(_ values: SIMD3<Double>, in range: ClosedRange<Double>) -> Bool {
      (0..<3).allSatisfy { range.contains(values[$0]) }
    }
    let stops = -Self.stopLimit...Self.stopLimit
    let offsets = -Self.offsetLimit...Self.offsetLimit
    return all(gainMin, in: stops) && all(gainMax, in: stops) && all(gamma, in: 0.01...100)
      && all(offsetSDR, in: offsets) && all(offsetHDR, in: offsets)
      && (0..<3).allSatisfy { gainMin[$0] <= gainMax[$0] }
      && stops.contains(capacityMin) && stops.contains(capacityMax) && capacityMin < capacityMax
  }

  /// The share of the gain for a screen with a headroom in stops, from 0 to 1.
  package func weight(headroom: Double) -> Double {
    let weight = min(max((headroom - capacityMin) / (capacityMax - capacityMin), 0), 1)
    return baseIsHDR ? weight - 1 : weight
  }
}
