#if AVIF || HEIF
/// How numbers become colours, in the code points of ITU-T H.273.
struct ColorCoding: Equatable {
  static let bt709 = 1
  static let unspecified = 2
  static let bt601Matrix = 6

  var primaries = ColorCoding.unspecified
  var transfer = ColorCoding.unspecified
  var matrix = ColorCoding.unspecified
  /// Whether black is 0 and white is the largest number.
  var isFullRange = true

  /// PQ and hybrid log-gamma: white of paper is not the brightest colour.
  var isHighDynamicRange: Bool { transfer == 16 || transfer == 18 }
}
#endif
