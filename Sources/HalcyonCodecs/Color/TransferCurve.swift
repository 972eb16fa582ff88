import CLCMS

/// How stored values become light.
enum TransferCurve: Hashable, Sendable {
  /// IEC 61966-2-1.
  case sRGB
  /// A power of the stored value; 1 is light itself.
  case gamma(Double)

  /// The curves of ITU-T H.273, table 3, that have no more than standard brightness; `nil` for PQ, HLG and others.
  ///
  /// Those of BT.601, BT.709 and BT.2020 tell how cameras behave; pictures are shown with sRGB's, as browsers do.
  init?(cicp code: Int) {
    switch code {
    case 1, 2, 6, 13, 14, 15: self = .sRGB
    case 4: self = .gamma(2.2)
    case 5: self = .gamma(2.8)
    case 8: self = .gamma(1)
    default: return nil
    }
  }

  /// The curve for Little CMS, which the caller frees.
  func makeToneCurve() -> OpaquePointer? {
    switch self {
    case .sRGB: cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    case .gamma(let exponent): cmsBuildGamma(nil, exponent)
    }
  }
}
