/// A high-dynamic-range signal: how its values represent light (ITU-R BT.2100).
package struct HighDynamicRange: Hashable, Sendable {
  /// The transfer functions, by their code points of ITU-T H.273.
  package enum Transfer: Int, Sendable {
    /// Perceptual quantization (SMPTE ST 2084): absolute luminances up to 10,000 cd/m².
    case pq = 16
    /// Hybrid log-gamma, relative to the display.
    case hlg = 18

    package var name: String { self == .pq ? "PQ" : "HLG" }

    /// The range of a file.
    package var range: EncodedDynamicRange { self == .pq ? .pq : .hlg }
  }

  /// The luminance of reference white in cd/m² (ITU-R BT.2408).
  package static let referenceWhite = 203.0
  /// The peak of content that does not state its own, and of the display that hybrid log-gamma is shown on, in cd/m².
  package static let defaultPeak = 1000.0
  /// The highest luminance of PQ in cd/m².
  package static let highestPeak = 10_000.0

  private static let unspecified = 2

  /// A code point of ITU-T H.273; an unknown one counts as BT.2020.
  package let primaries: Int
  package let transfer: Transfer
  /// The brightest luminance of the content in cd/m².
  package private(set) var peak = Self.defaultPeak
  /// The colour space that the colours are mapped to.
  package private(set) var target = ColorSpace.sRGB
  /// Whether the colours are mapped to bytes, or kept in half floats.
  package private(set) var targetRange = DynamicRange.standard

  /// `nil` if the transfer function is not a high-dynamic-range one.
  ///
  /// - Parameters:
  ///   - primaries: A code point of ITU-T H.273.
  ///   - transfer: A code point of ITU-T H.273.
  package init?(primaries: Int, transfer: Int) {
    guard let transfer = Transfer(rawValue: transfer) else { return nil }
    self.init(primaries: primaries == Self.unspecified ? 9 : primaries, transfer)
  }

  private init(primaries: Int, _ transfer: Transfer) { (self.primaries, self.transfer) = (primaries, transfer) }

  /// PQ in BT.2020, for half floats.
  package static let keptPQ = HighDynamicRange(primaries: 9, .pq).kept

  /// The signal with the luminances that the file states. Hybrid log-gamma has none.
  package func with(_ light: ContentLight) -> HighDynamicRange {
    var range = self
    if transfer == .pq, let peak = light.peak { range.peak = peak }
    return range
  }

  /// The signal, mapped to bytes in a colour space.
  package func mapped(to target: ColorSpace) -> HighDynamicRange {
    var range = self
    range.target = target
    return range
  }

  /// The signal, kept in half floats.
  package var kept: HighDynamicRange {
    var range = mapped(to: .displayP3)
    range.targetRange = .high
    return range
  }

  /// The bits of the samples that light is made of. For bytes, steps finer than 12 bits of PQ would be invisible.
  package var sampleDepth: Int { targetRange == .high ? 16 : 12 }

  package var largestSample: Int { 1 << sampleDepth - 1 }

  package var chromaticities: Chromaticities {
    switch primaries {
    // The white point of digital cinema is for projectors.
    case 11: .displayP3
    default: Chromaticities(cicp: primaries) ?? .bt2020
    }
  }
}

/// The luminance of the brightest pixels as the file states it, in cd/m².
package struct ContentLight: Hashable, Sendable {
  /// The brightest pixel (CTA-861.3).
  package var contentPeak: Double?
  /// The mean of all pixels, of each its brightest channel.
  package var contentMean: Double?
  /// The peak of the display on which the content was mastered (SMPTE ST 2086).
  package var masteringPeak: Double?

  package init(contentPeak: Double? = nil, contentMean: Double? = nil, masteringPeak: Double? = nil) {
    (self.contentPeak, self.contentMean, self.masteringPeak) = (contentPeak, contentMean, masteringPeak)
  }

  /// The stated peak; 0 states none.
  package var peak: Double? {
    [contentPeak, masteringPeak].compactMap { $0 }.first { $0 > 0 }.map { min($0, HighDynamicRange.highestPeak) }
  }
}
